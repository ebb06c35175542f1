/* Suspends that are over before they begin: right before, the coroutine is resumed or destroyed by its own handle.
   Needs: a presplit function after coro-early. Leaves: such suspends replaced by their result, the call gone. */
#ifndef CORO_PASS_SIMPLIFY_H
#define CORO_PASS_SIMPLIFY_H

#include "base/arena.h"
#include "ir/intrin.h"

/* *edited is set to true where there was one. False: memory ran out. */
bool simplify_suspends(struct coro_arena *arena, const struct intrin_table *table, LLVMValueRef function, bool *edited);

/* Whether the function has such a suspend. */
bool simplify_would(const struct intrin_table *table, LLVMValueRef function);

#endif
