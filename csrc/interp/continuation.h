/* Coroutines whose suspends return, where the intrinsics that all ABIs have in common come upon one.
   Needs: coroutine.h. Leaves: a coroutine that has ended forgotten. */
#ifndef CORO_INTERP_CONTINUATION_H
#define CORO_INTERP_CONTINUATION_H

#include "interp/state.h"

/* What it is known by: the caller's buffer, or the context. */
uint64_t continuation_place(struct interp *in, const struct activation *act, const struct op *op);
void continuation_end(struct interp *in, struct activation *act, const struct op *op, bool unwinds);

#endif
