/* Creates the function's own allocas, which replace presplit allocas, byval-like (see analysis/shape.h) and swifterror
   parameters.
   Requires: emission in progress.
   Guarantees: each is created in the entry, on first use. */
#pragma once

#include "emit/emit.h"

/* The address of alloca `value` for uses in `node`; in the frame if it is frame-resident. */
LLVMValueRef local_alloca_or_frame_address_of(struct emit *e, uint32_t value, uint32_t node);
/* Copies one pointer by a load and a store, the only operations that a swifterror allows. */
void local_alloca_copy_by_load_and_store(LLVMBuilderRef builder, const struct coro_alloca *item, LLVMValueRef from,
                                         LLVMValueRef to);
/* Moves e->aside_builder after the last alloca of the entry. */
void local_alloca_position_aside_builder(struct emit *e);
/* Erases the copied allocas that nothing uses. */
void local_alloca_erase_unused(struct emit *e);
