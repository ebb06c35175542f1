/* Elides coroutines that are created by a call of their ramp.
   Requires: elision_candidate, noalloc.
   Guarantees: elided calls call f.noalloc with a frame on the caller's stack. */
#ifndef CORO_ELIDE_ELIDE_CALL_H
#define CORO_ELIDE_ELIDE_CALL_H

#include "elide/elision_candidate.h"

/* Elides the coroutine that the call creates, if it is a call of a ramp and elision is valid. *changed: it was elided,
   or its handle devirtualized. False: out of memory. */
bool elide_ramp_call_if_possible(struct elision_search *search, LLVMValueRef call, bool *changed);
/* Rejects the elision if the frame would exceed the limit of elided frames in the function. */
void elide_check_frame_limit(const struct elision_search *search, const struct clones *clones, struct verdict *verdict);
/* Replaces the calls of f.destroy listed in the verdict by calls of f.cleanup. */
void elide_replace_destroys(const struct verdict *verdict, const struct clones *clones);

#endif
