/* Finds for each suspend whether a ramp that stops there has produced the first value.
   Requires: shape.
   Guarantees: the function is unchanged. */
#pragma once

#include "analysis/shape.h"

/* Indexed by suspend: a ramp that stops there has produced the first value. If the frontend names awaits, as clang
   does by the function that llvm.coro.await.suspend calls, this is a co_yield. Otherwise it is a suspend reachable from
   the entry without another one, if the function itself stores to its promise on a path from the entry. Stores in
   callees, such as constructors of promises, do not count. NULL: out of memory. */
bool *coro_suspends_after_first_value(struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape);
