/* By cleanup: a destroy function that calls its cleanup function, and then frees the frame.
   Needs: functions without coroutine intrinsics. Leaves: them, of which destroy functions may be shorter. */
#ifndef CORO_PASS_BY_CLEANUP_H
#define CORO_PASS_BY_CLEANUP_H

#include "pass/parts.h"

/* Where somebody calls the cleanup function too, and it is long enough. False: memory ran out. */
bool by_cleanup(struct pass_run *run, const struct parts *parts, bool *changed);

#endif
