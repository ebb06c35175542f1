/* Makes the destruction of a coroutine ended by an exception explicit: after the llvm.coro.end on the unwind path its
   clones suspend once more, and the destroy edge of that suspend leads to the cleanup. See docs/explanation/unwound.md.
   Requires: a switched-resume coroutine before coro-split.
   Guarantees: equivalent code, in which every llvm.coro.end with a known cleanup has such a suspend. Idempotent. */
#pragma once

#include "run/intrinsic_calls.h"

/* `calls` are the coroutine's intrinsics by kind. False: out of memory. */
bool destroy_edges_add(struct pass_run *run, LLVMValueRef function, const pass_values *calls, bool *changed);
