/* Copies presplit instructions into the function, or replaces them by calls.
   Requires: emission in progress.
   Guarantees: the result is at the builder's position; it is spilled if it has a frame field and the frame exists. */
#pragma once

#include "emit/call.h"

/* Copies `inst`, or moves it if no other function needs it, with its operands mapped to the function. */
LLVMValueRef emit_copy_define_and_spill(struct emit *e, uint32_t inst);
/* Records that `copy` is the value of `inst` in the function, and spills it if it has a field. */
void emit_define_and_spill(struct emit *e, uint32_t inst, LLVMValueRef copy);
/* Lowers an intrinsic that means the same in every ABI, or copies the call. llvm.coro.is_in_ramp is a constant; if it
   is live across a suspend, the frame stores the constant of the function that executed it. */
void emit_common_intrinsic_or_copy(struct emit *e, uint32_t inst, enum intrin intrin);
/* As emit_define_and_spill, for the result of a suspend, which is available from the start of `node`. */
void emit_define_and_spill_at_node(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node);
/* As emit_define_and_spill, without a spill. */
void emit_define_without_spill(struct emit *e, uint32_t inst, LLVMValueRef copy);
/* Builds a call in place of call `inst`, or an invoke in place of invoke `inst`, with its debug location. The invoke
   continues in `normal`; NULL: in its presplit normal destination. */
LLVMValueRef emit_replace_by_call(struct emit *e, uint32_t inst, const struct emit_callee *callee,
                                  LLVMBasicBlockRef normal);
/* Ends `from`, the block on the normal edge of the replaced invoke `inst`, by a branch to the presplit destination. */
void emit_branch_to_normal_destination(struct emit *e, uint32_t inst, LLVMBasicBlockRef from);
