/* A loop that resumes a coroutine in one place.
   Needs: ir. Leaves: IR that verifies, given IR that did. */
#ifndef CORO_PASS_RESUME_ONCE_H
#define CORO_PASS_RESUME_ONCE_H

#include "pass/pass.h"

/* A loop over a generator resumes it in front of the loop and at its end. Where the frame is a variable, and both
   ways go on to the same, it is resumed on the way there, once; and there is inlined once what it does. *changed:
   something was done. False: memory ran out. */
bool resume_once(struct pass_run *run, LLVMValueRef function, bool *changed);

#endif
