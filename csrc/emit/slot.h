/* Emission: addresses in the frame.
   Needs: emission under way, in a part that has the frame. Leaves: the address of each field that was asked for, once
   at the head of the part, or once at the head of each block that needs it. */
#ifndef CORO_EMIT_SLOT_H
#define CORO_EMIT_SLOT_H

#include "emit/emit.h"

LLVMValueRef emit_slot(struct emit *e, uint32_t field);
/* The address as `node` has it: in a clone computed in its own block. */
LLVMValueRef emit_slot_in(struct emit *e, uint32_t field, uint32_t node);
/* The address `offset` bytes into the frame, at the builder's position. */
LLVMValueRef emit_frame_offset(struct emit *e, uint64_t offset, const char *name);
/* The first address at or after `address` that is aligned to `want`, given that it is aligned to `have`. */
LLVMValueRef emit_align(struct emit *e, LLVMBuilderRef builder, LLVMValueRef address, uint64_t have, uint64_t want);
/* The frame keeps the value where it has a field for it. */
void emit_store_spill(struct emit *e, LLVMBuilderRef builder, uint32_t value);

#endif
