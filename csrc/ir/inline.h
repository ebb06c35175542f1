/* Inlining: a copy of a function's body in place of a call of it.
   Needs: a builder at the end of an unfinished block of the caller. Leaves: the callee as it was; the builder where
   control goes on behind the call. */
#ifndef CORO_IR_INLINE_H
#define CORO_IR_INLINE_H

#include "base/arena.h"
#include "ir/intrin.h"

struct inline_call {
  LLVMBuilderRef builder;
  LLVMValueRef callee;
  LLVMValueRef *arguments; /* one for each parameter, of its type */
  bool tail;               /* the caller returns what the callee does, in the callee's own returns */
  /* The caller's location for what stands at `at` in the callee (NULL: nowhere). NULL: the copies have none. */
  LLVMMetadataRef (*locate)(void *user, LLVMMetadataRef at);
  void *user;
  LLVMBasicBlockRef entry; /* where the callee's variables are made; NULL: in the caller's first block */
};

/* Whether a copy does what a call would: the body is this module's for certain, and means the same elsewhere. */
bool inline_possible(const struct intrin_table *table, LLVMValueRef caller, LLVMValueRef callee);
/* Whether a copy of the body in a function of its own, with as many parameters or more, does what the function does. */
bool inline_can_copy(LLVMValueRef function);
/* *result is what the callee returns: NULL if nothing, or if control never comes back. False: memory ran out. */
bool inline_body(struct coro_arena *arena, const struct inline_call *call, LLVMValueRef *result);

#endif
