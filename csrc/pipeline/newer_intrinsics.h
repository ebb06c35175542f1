/* The llvm.coro.* intrinsics that later versions of LLVM have and LLVM 22 has not.
   Requires: diagnose. Guarantees: the module calls none of them once they are lowered. */
#ifndef CORO_PIPELINE_NEWER_INTRINSICS_H
#define CORO_PIPELINE_NEWER_INTRINSICS_H

#include "pass/pass.h"

/* Rejects every use of an llvm.coro.* function that is no intrinsic of LLVM 22 and that `lower` does not remove:
   EREJECTED, ENOMEM. */
coro_status newer_intrinsics_check(struct pass_run *run);
/* Rejects the same, and removes the calls that have no effect on the program. */
coro_status newer_intrinsics_lower(struct pass_run *run);

#endif
