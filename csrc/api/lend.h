/* Calls of the caller's passes, with the working copy of the run lent to them.
   Needs: module, pass. Leaves: the copy that the pass has left in the run. */
#ifndef CORO_API_LEND_H
#define CORO_API_LEND_H

#include "pass/pass.h"

/* A pass_callers: see there. */
coro_status lend_and_call(struct pass_run *run, const coro_custom_pass *pass, coro_pass_call *call,
                          coro_change *changed);

#endif
