/* The llvm.coro.* intrinsics that later versions of LLVM have and LLVM 22 has not.
   Requires: diagnose. Guarantees: the module calls none of them. */
#ifndef CORO_PIPELINE_NEWER_INTRINSICS_H
#define CORO_PIPELINE_NEWER_INTRINSICS_H

#include "pass/pass.h"

/* Removes the calls that have no effect on the program, and rejects every other call of an llvm.coro.* function that is
   no intrinsic of LLVM 22: EREJECTED, ENOMEM. */
coro_status newer_intrinsics_lower(struct pass_run *run);

#endif
