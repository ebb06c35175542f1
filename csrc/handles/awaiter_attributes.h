/* Attributes of the awaiter that a call of llvm.coro.await.suspend.* receives, inferred from the function that the call
   executes.
   Requires: handle_effects.
   Guarantees: only attributes of the call change. */
#ifndef CORO_HANDLES_AWAITER_ATTRIBUTES_H
#define CORO_HANDLES_AWAITER_ATTRIBUTES_H

#include "handles/handle_effects.h"

/* Whether the call is one of llvm.coro.await.suspend.*, and its awaiter is an alloca without inferred attributes. */
bool awaiter_attributes_are_missing(const struct pass_run *run, LLVMValueRef call);
/* Adds `captures(none)` and `readonly` where both hold. False: out of memory. */
bool awaiter_attributes_infer(struct handle_effects *effects, LLVMValueRef function, LLVMValueRef call, bool *changed);

#endif
