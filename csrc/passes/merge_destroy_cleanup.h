/* Removes the uses of f.cleanup of a coroutine that is never elided, or merges f.destroy into f.cleanup: if f.destroy
   begins with the code of f.cleanup, a call replaces that code.
   Requires: functions without coroutine intrinsics.
   Guarantees: destroy functions are shorter or unchanged. */
#pragma once

#include "run/clones.h"

/* Replaces the code of f.cleanup in f.destroy by a call, if f.cleanup has other uses and that code is long enough.
   False: out of memory. */
bool merge_destroy_cleanup(struct pass_run *run, const struct clones *clones, bool *changed);
