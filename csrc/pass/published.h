/* Coroutines of other modules: what the attributes "coro-frame" and "coro-handle" of a declaration say that its module
   publishes.
   Needs: ramp, told. Leaves: a declaration of the published ramp. */
#ifndef CORO_PASS_PUBLISHED_H
#define CORO_PASS_PUBLISHED_H

#include "pass/ramp.h"

/* Whether the function is declared with the first attribute. */
bool published_is(LLVMValueRef function);
/* *noalloc is the ramp that takes a frame, NULL where the attribute is of a version that is not known; its name holds
   what was published, so that a module that publishes something else is not linked to. EREJECTED: an attribute is
   malformed, or the name is another's; ENOMEM. */
coro_status published_noalloc(struct pass_run *run, LLVMValueRef function, struct parts *parts, LLVMValueRef *noalloc);
/* What the attributes say of the ramp; what is malformed is as if it were not there. False: the frame is not known. */
bool published_ramp(struct pass_run *run, LLVMValueRef function, struct ramp *ramp);
/* The ramp that takes a frame by the name that holds what is known of the handle, too. NULL: memory ran out. */
LLVMValueRef published_told(struct pass_run *run, const struct ramp *ramp);

#endif
