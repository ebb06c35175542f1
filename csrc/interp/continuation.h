/* Returned-continuation and async coroutines: their identity, and the end of one.
   Requires: coroutine.h.
   Guarantees: a finished coroutine is unregistered. */
#pragma once

#include "interp/state.h"

/* The identity of the coroutine: the caller's buffer, or the async context. */
uint64_t continuation_buffer_or_context_address(struct interp *in, const struct activation *act, const struct op *op);
void continuation_end_and_return_unless_unwinding(struct interp *in, struct activation *act, const struct op *op,
                                                  bool unwinds);
