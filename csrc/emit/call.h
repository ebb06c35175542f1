/* Emission: calls of the lowering's own.
   Needs: emission under way. Leaves: calls at the builder's position, which name the pad that it is in. */
#ifndef CORO_EMIT_CALL_H
#define CORO_EMIT_CALL_H

#include "emit/emit.h"

struct emit_callee {
  LLVMTypeRef type;
  LLVMValueRef function; /* its address */
  LLVMValueRef *arguments;
  unsigned count;
};

LLVMValueRef emit_call_as(struct emit *e, const struct emit_callee *callee);
/* Of a function as edit_build_call's is. */
LLVMValueRef emit_call(struct emit *e, LLVMValueRef function, LLVMValueRef *arguments, unsigned count);
LLVMValueRef emit_invoke_as(struct emit *e, const struct emit_callee *callee, LLVMBasicBlockRef normal,
                            LLVMBasicBlockRef unwind);

#endif
