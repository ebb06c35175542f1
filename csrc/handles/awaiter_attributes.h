/* Infers attributes of the awaiter argument of llvm.coro.await.suspend.* from the body of await_suspend. Without them
   LLVM's passes assume that the call captures and overwrites the awaiter, so handles stored in it cannot be traced.
   coro-annotation-elide and csrc/cgscc apply this to callers of coroutines. Overview and terms: handle_trace.h.
   Requires: handle_effects.
   Guarantees: only attributes of the calls change. */
#pragma once

#include "run/pass.h"

/* In an unsplit coroutine of at most 4,096 instructions: adds `captures(none)` and `readonly` to each awaiter that is
   an alloca and that await_suspend neither captures nor writes. One attribute alone would have no use. False: out of
   memory. */
bool awaiter_attributes_infer(struct pass_run *run, LLVMValueRef function, bool *changed);
