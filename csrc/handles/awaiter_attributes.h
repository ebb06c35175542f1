/* Attributes of the awaiters that calls of llvm.coro.await.suspend.* receive, inferred from the functions that these
   calls execute (await_suspend).
   Requires: handle_effects.
   Guarantees: only attributes of the calls change. */
#ifndef CORO_HANDLES_AWAITER_ATTRIBUTES_H
#define CORO_HANDLES_AWAITER_ATTRIBUTES_H

#include "run/pass.h"

/* In an unsplit coroutine of at most 4,096 instructions: adds `captures(none)` and `readonly` to each awaiter argument
   that await_suspend neither captures nor writes; never only one of them. False: out of memory. */
bool awaiter_attributes_infer(struct pass_run *run, LLVMValueRef function, bool *changed);

#endif
