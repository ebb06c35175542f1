/* Joining: what ends a coroutine that an exception has ended is what ends one at its final suspend.
   Needs: a coroutine before coro-split. Leaves: one that does the same, and one cleanup of the two. */
#ifndef CORO_PASS_JOIN_H
#define CORO_PASS_JOIN_H

#include "ir/intrin.h"

/* Behind the unwind end `end` the ramp's cleanup does what the destroy way of `final`, a suspend, does: then the ramp
   goes that way too, and from there on where the exception propagates. False: left alone. */
bool join_cleanups(const struct intrin_table *table, LLVMValueRef end, LLVMValueRef final);

#endif
