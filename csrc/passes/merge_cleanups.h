/* Merges the cleanup of a coroutine ended by an exception with that of one destroyed at its final suspend.
   Requires: a coroutine before coro-split.
   Guarantees: equivalent code with one cleanup. */
#ifndef CORO_PASSES_MERGE_CLEANUPS_H
#define CORO_PASSES_MERGE_CLEANUPS_H

#include "run/pass.h"

/* If the ramp's cleanup after the unwind end `end` equals the destroy path of the suspend `final`, the ramp executes
   the latter instead, and then propagates the exception. False: unchanged. */
bool merge_exception_cleanups(struct pass_run *run, LLVMValueRef end, LLVMValueRef final);

#endif
