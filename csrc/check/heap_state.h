/* Order of the code that uses the list of heap blocks of allocas (heap_list.h): the list is initialized before it is
   used, all blocks are freed before the frame is, and none is used after that.
   Requires: numbered clones. */
#pragma once

#include "check/check_data.h"
#include "ir/operand.h"

/* Whether the frame has such a list. */
static inline bool heap_state_has_list(const struct check *c)
{
  return c->low->frame.heap_field != IR_NONE;
}
/* Whether the instruction is a plain store of the value. */
static inline bool heap_state_is_plain_store_of(LLVMValueRef store, LLVMValueRef value)
{
  return store && LLVMIsAStoreInst(store) && LLVMGetOperand(store, STORE_VALUE) == value && !LLVMGetVolatile(store) &&
         LLVMGetOrdering(store) == LLVMAtomicOrderingNotAtomic;
}
/* Whether all blocks must be freed before presplit instruction `inst`, at a position of a clone: it frees the frame, or
   ends the coroutine. */
bool heap_state_blocks_must_be_freed_before(const struct check *c, const struct check_clone *k, uint32_t block,
                                            uint32_t position, uint32_t inst);
/* With a list: whether control may move past a presplit instruction. False, with an answer: blocks have not been
   freed. */
bool heap_state_check_blocks_are_freed_before(struct check *c, const struct check_clone *k,
                                              const struct check_state *state, uint32_t block, uint32_t position,
                                              uint32_t inst);
/* Whether all paths to the place of a ramp initialize the list. */
bool heap_state_is_list_initialized_on_all_paths(const struct check *c, const struct check_clone *k, uint32_t block,
                                                 uint32_t at);
/* After the simulation: proves the order of all calls that change the list. */
bool heap_state_check_order_of_calls(struct check *c);
/* Proves that the memory of an alloca on the heap is not used where all blocks may have been freed. */
bool heap_state_check_memory_is_unused_after_free(struct check *c, const struct check_memory *memory);
