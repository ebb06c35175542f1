/* Attributes of the awaiters that the calls of llvm.coro.await.suspend.* receive, inferred from the functions that the
   calls execute.
   Requires: handle_effects.
   Guarantees: only attributes of the calls change. */
#ifndef CORO_HANDLES_AWAITER_ATTRIBUTES_H
#define CORO_HANDLES_AWAITER_ATTRIBUTES_H

#include "run/pass.h"

/* Adds `captures(none)` and `readonly` to the awaiters of an unsplit coroutine for which both hold. False: out of
   memory. */
bool awaiter_attributes_infer(struct pass_run *run, LLVMValueRef function, bool *changed);

#endif
