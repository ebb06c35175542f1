/* Facts about suspends for reports.
   Requires: shape.
   Guarantees: the function is unchanged. */
#ifndef CORO_LOWERING_SUSPEND_INFO_H
#define CORO_LOWERING_SUSPEND_INFO_H

#include "analysis/shape.h"
#include "base/arena.h"

/* Counts live fields and bytes at each suspend, from the live ranges of the fields. False: out of memory. */
bool suspends_count_live(struct coro_arena *arena, const coro_coroutine_info *info, coro_suspend_info *suspends);
/* Whether calls may lie between the save and its suspend, because they are in different blocks. */
bool suspend_is_saved_apart(const struct ir_fn *fn, const struct coro_suspend *suspend);

#endif
