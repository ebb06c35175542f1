/* Elision of coroutines that are started by a call of their ramp.
   Needs: start, noalloc. Leaves: calls of f.noalloc, with the frame a variable of the caller. */
#ifndef CORO_PASS_ELIDE_CALL_H
#define CORO_PASS_ELIDE_CALL_H

#include "pass/start.h"

/* `call` may be any call. False: memory ran out. */
bool elide_call(struct starts *starts, LLVMValueRef call, bool *changed);
/* Rejects what is proved if the frame exceeds the limit of elided frames in the function. */
void elide_limit(const struct starts *starts, const struct parts *parts, struct verdict *verdict);
/* Calls of f.destroy with the coroutine's handle, which the verdict lists, are of f.cleanup from now on. */
void elide_destroys(const struct verdict *verdict, const struct parts *parts);

#endif
