/* Emits calls that have no presplit counterpart: of an allocator, a hook, another clone, a suspend's function.
   Requires: emission in progress.
   Guarantees: a call in a funclet pad has the pad's operand bundle. */
#pragma once

#include "emit/emit.h"
#include "transform/inline.h"

struct emit_callee {
  LLVMTypeRef type;
  LLVMValueRef function; /* callee address */
  LLVMValueRef *arguments;
  unsigned count;
};

/* Builds a call of a function type and address. */
LLVMValueRef emit_call_as(struct emit *e, const struct emit_callee *callee);
/* As edit_build_call, with the pad's operand bundle. */
LLVMValueRef emit_call(struct emit *e, LLVMValueRef function, LLVMValueRef *arguments, unsigned count);
/* The same as an invoke with these destinations. */
LLVMValueRef emit_invoke_as(struct emit *e, const struct emit_callee *callee, LLVMBasicBlockRef normal,
                            LLVMBasicBlockRef unwind);
/* Inlines the body of a callee, which replaces presplit instruction `inst`: callee, arguments, tail and locations are
   those of `call`. *result as for inline_body_at_builder_position. False: out of memory. */
bool emit_inlined_body(struct emit *e, uint32_t inst, struct inline_call *call, LLVMValueRef *result);
