/* Copies presplit instructions into a clone, or replaces them by calls.
   Requires: emission in progress.
   Guarantees: the result is at the builder's position; it is spilled if it has a frame field. */
#ifndef CORO_EMIT_COPY_H
#define CORO_EMIT_COPY_H

#include "emit/call.h"

/* Clones `inst` with its operands mapped to this clone. */
LLVMValueRef emit_copy(struct emit *e, uint32_t inst);
/* Records that `copy` is the value of `inst` in this clone, and spills it if it has a field. */
void emit_define(struct emit *e, uint32_t inst, LLVMValueRef copy);
/* Defines the value that tells whether `inst` was executed in the ramp: it is spilled before the suspend. */
void emit_define_is_in_ramp(struct emit *e, uint32_t inst);
/* As emit_define, for the result of a suspend, which is available from the start of `node`. */
void emit_define_in(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node);
/* Builds a call that replaces call or invoke `inst`, with its debug location. A replaced invoke continues in
   `normal`, or in its presplit normal destination if that is NULL. */
LLVMValueRef emit_replace_by_call(struct emit *e, uint32_t inst, const struct emit_callee *callee,
                                  LLVMBasicBlockRef normal);
/* Branches to the normal destination of invoke `inst`; `from` is the block on its normal edge. */
void emit_join_normal(struct emit *e, uint32_t inst, LLVMBasicBlockRef from);

#endif
