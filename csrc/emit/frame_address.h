/* Emits addresses of frame fields (getelementptr), and the stores of spilled values.
   Requires: emission in progress of a function that has the frame.
   Guarantees: each address is computed once at `field_address_position`, or once per block that needs it. */
#pragma once

#include "emit/emit.h"

LLVMValueRef emit_address_of_frame_field(struct emit *e, uint32_t field);
/* The address for uses in `node`. A clone computes it in that block if it is cheap; otherwise as
   emit_address_of_frame_field. */
LLVMValueRef emit_field_address_in_node(struct emit *e, uint32_t field, uint32_t node);
/* Builds the address `offset` bytes into the frame. */
LLVMValueRef emit_address_at_frame_offset(struct emit *e, uint64_t offset, const char *name);
/* Rounds `address` up to the alignment `align`. It is known to be aligned to `known_align` already. */
LLVMValueRef emit_rounding_up_to_alignment(struct emit *e, LLVMBuilderRef builder, LLVMValueRef address,
                                           uint64_t known_align, uint64_t align);
/* Stores the value in its frame field, if it has one. */
void emit_store_spill_if_field(struct emit *e, LLVMBuilderRef builder, uint32_t value);
