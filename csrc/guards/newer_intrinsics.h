/* Finds and removes llvm.coro.* intrinsics of later versions of LLVM.
   Requires: diagnose.
   Guarantees: after newer_intrinsics_remove_calls, the module does not call them. */
#pragma once

#include "run/pass.h"

/* Rejects every use of an llvm.coro.* function that is not an intrinsic of LLVM and that newer_intrinsics_remove_calls
   does not remove: EREJECTED, ENOMEM. */
coro_status newer_intrinsics_check(struct pass_run *run);
/* Rejects the uses that newer_intrinsics_check rejects, and removes calls that have no effect on the program. */
coro_status newer_intrinsics_remove_calls(struct pass_run *run);
