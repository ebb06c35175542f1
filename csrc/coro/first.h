/* Whether a ramp stops at a value or before the first one.
   Needs: shape. Leaves: the function as it was. */
#ifndef CORO_CORO_FIRST_H
#define CORO_CORO_FIRST_H

#include "coro/shape.h"

/* By suspend: a ramp that stops there has made the first value. That is a co_yield, where a frontend says which await
   it is (as clang does, by the name of what llvm.coro.await.suspend calls); else one that is reached from the entry
   without another, where the function itself stores to its promise on some way from the entry: not by a function that
   it calls, as constructors of promises are. NULL: memory ran out. */
bool *coro_first_values(struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape);

#endif
