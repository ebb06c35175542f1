/* Removes suspends that never return to the caller, because the coroutine resumes or destroys itself directly before
   (LLVM: simplifySuspendPoint).
   Requires: a presplit function after coro-early.
   Guarantees: such suspends are replaced by their result, and the call is erased. */
#pragma once

#include "base/arena.h"
#include "ir/intrin.h"

/* Sets *function_changed if there was one. False: out of memory. */
bool simplify_suspends(struct coro_arena *arena, const struct intrin_table *table, LLVMValueRef function,
                       bool *function_changed);

/* Whether the function has such a suspend. */
bool has_simplifiable_suspend(const struct intrin_table *table, LLVMValueRef function);
