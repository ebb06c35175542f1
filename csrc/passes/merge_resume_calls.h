/* Merges the tails of paths that end in the same call that resumes a coroutine.
   Requires: ir.
   Guarantees: valid IR. */
#pragma once

#include "run/pass.h"

/* A loop over a generator resumes it before the loop and at its end. If the frame is an alloca and both calls
   continue at the same block, merges them into one call, so f.resume is inlined once. *changed: something was merged.
   False: out of memory. */
bool merge_resume_calls(struct pass_run *run, LLVMValueRef function, bool *changed);
