/* Checks of internal invariants, which hold for every input. If one is violated, a debug build aborts. A release build
   marks the arena as failed, so that the run returns EBUG and the module does not change.
   Requires: an arena. Guarantees: see coro_arena_internal_error. */
#pragma once

#include "base/arena.h"

#ifdef NDEBUG
enum { CORO_DEBUG = 0 };
#else
enum { CORO_DEBUG = 1 };
#endif

/* Reports the violation and returns false. */
bool coro_report_broken_invariant(struct coro_arena *arena, const char *condition, const char *file, int line);

static inline bool coro_invariant(struct coro_arena *arena, bool holds, const char *condition, const char *file,
                                  int line)
{
  return holds || coro_report_broken_invariant(arena, condition, file, line);
}

/* True if the condition holds. Callers that cannot continue otherwise check the result. */
#define CORO_INVARIANT(arena, condition) coro_invariant(arena, condition, #condition, __FILE__, __LINE__)

/* Bounds check of accessors, which have no arena: a debug build aborts if `index` >= `count`. */
static inline uint32_t coro_index(uint32_t index, uint32_t count, const char *condition, const char *file, int line)
{
  if (CORO_DEBUG && index >= count)
    coro_report_broken_invariant(NULL, condition, file, line);
  return index;
}
#define CORO_INDEX(index, count) coro_index(index, count, #index " < " #count, __FILE__, __LINE__)
