/* Coroutines of other modules: what the attribute "coro-frame" of a declaration says that its module publishes.
   Needs: parts. Leaves: a declaration of the published ramp. */
#ifndef CORO_PASS_PUBLISHED_H
#define CORO_PASS_PUBLISHED_H

#include "pass/parts.h"

/* Whether the function is declared with the attribute. */
bool published_is(LLVMValueRef function);
/* *noalloc is the ramp that takes a frame, NULL where the attribute is of a version that is not known; its name holds
   what was published, so that a module that publishes something else is not linked to. EREJECTED: the attribute is
   malformed, or the name is another's; ENOMEM. */
coro_status published_noalloc(struct pass_run *run, LLVMValueRef function, struct parts *parts, LLVMValueRef *noalloc);

#endif
