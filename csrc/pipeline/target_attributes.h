/* Checks the target-cpu and target-features attributes of functions.
   Requires: child_process, target.
   Guarantees: the module is unchanged. */
#pragma once

#include "base/map.h"
#include "run/pass.h"

/* LLVM's passes create a subtarget for every function, and terminate the process if a processor does not support the
   triple's instruction set. Rejects such functions: EREJECTED, ENOMEM. Unknown combinations are tested in a child
   process, once; `tried` caches them and is initially empty. */
coro_status target_attributes_check(struct pass_run *run, struct coro_map *tried);
