/* Whether a ramp stops at a value or before the first one.
   Needs: shape. Leaves: the function as it was. */
#ifndef CORO_CORO_FIRST_H
#define CORO_CORO_FIRST_H

#include "coro/shape.h"

/* *found: on some way from the entry the function stores to its promise before it suspends, itself: not by a function
   that it calls, as constructors of promises are. False: memory ran out. */
bool coro_first_value(bool *found, struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape);

#endif
