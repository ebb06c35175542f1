/* Emission: what stands in place of an instruction of the source: its copy, or a call that does as much.
   Needs: emission under way. Leaves: the instruction at the builder's position; in the frame what it defines, if that
   has a field there. */
#ifndef CORO_EMIT_COPY_H
#define CORO_EMIT_COPY_H

#include "emit/call.h"

/* The copy of `inst` as it stands, with the operands of this part. */
LLVMValueRef emit_copy(struct emit *e, uint32_t inst);
/* `copy` is what `inst` computes in this part. */
void emit_define(struct emit *e, uint32_t inst, LLVMValueRef copy);
/* Whether `inst` was executed in the ramp: behind a suspend that is kept, and not asked again. */
void emit_is_in_ramp(struct emit *e, uint32_t inst);
/* The result of `suspend`, which is there from the start of `node` on. */
void emit_define_in(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node);
/* A call in place of call or invoke `inst`, with its place in the source. An invoke goes on in `normal`, or where the
   source does if that is NULL. */
LLVMValueRef emit_call_instead(struct emit *e, uint32_t inst, const struct emit_callee *callee,
                               LLVMBasicBlockRef normal);
/* Goes on at the builder's position where invoke `inst` does, `from` being the block that takes its normal edge. */
void emit_join_normal(struct emit *e, uint32_t inst, LLVMBasicBlockRef from);

#endif
