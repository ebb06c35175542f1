/* Suspends that are over before they begin: right before, the coroutine is resumed or destroyed by its own handle.
   Needs: a presplit function after coro-early. Leaves: such suspends replaced by their result, the call gone. */
#ifndef CORO_PASS_SIMPLIFY_H
#define CORO_PASS_SIMPLIFY_H

#include <stdbool.h>

#include "ir/intrin.h"

bool simplify_suspends(const struct intrin_table *table, LLVMValueRef function); /* true: there was one */

#endif
