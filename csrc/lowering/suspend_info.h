/* Facts about suspends for reports.
   Requires: shape; for suspends_set_live_bytes_and_counts the live ranges in the report.
   Guarantees: the function is unchanged. */
#pragma once

#include "analysis/shape.h"
#include "base/arena.h"

/* Counts live fields and bytes at each suspend. False: out of memory. */
bool suspends_set_live_bytes_and_counts(struct coro_arena *arena, const coro_coroutine_info *info,
                                        coro_suspend_info *suspends);
/* Whether the save is in another block than its suspend, or a call is between them. */
bool suspend_is_saved_before_call_or_block_end(const struct ir_fn *fn, const struct coro_suspend *suspend);
