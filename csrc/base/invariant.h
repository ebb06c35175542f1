/* Invariants: what holds whatever the input is. Where one does not, a debug build stops; any other fails the arena, so
   that the run ends in EBUG and the module is as it was.
   Needs: an arena. Leaves: see coro_arena_bug. */
#ifndef CORO_BASE_INVARIANT_H
#define CORO_BASE_INVARIANT_H

#include "base/arena.h"

#ifdef NDEBUG
enum { CORO_DEBUG = 0 };
#else
enum { CORO_DEBUG = 1 };
#endif

/* False, once it is known; for whoever cannot go on. */
bool coro_invariant_broken(struct coro_arena *arena, const char *condition, const char *file, int line);

static inline bool coro_invariant(struct coro_arena *arena, bool holds, const char *condition, const char *file,
                                  int line)
{
  return holds || coro_invariant_broken(arena, condition, file, line);
}

/* Whether it holds: whoever cannot go on without asks. */
#define CORO_INVARIANT(arena, condition) coro_invariant(arena, condition, #condition, __FILE__, __LINE__)

/* For accessors, which have no arena to fail and are asked too often: where `index` is none of an array of `count`, a
   debug build stops. */
static inline uint32_t coro_index(uint32_t index, uint32_t count, const char *condition, const char *file, int line)
{
  if (CORO_DEBUG && index >= count)
    coro_invariant_broken(NULL, condition, file, line);
  return index;
}
#define CORO_INDEX(index, count) coro_index(index, count, #index " < " #count, __FILE__, __LINE__)

#endif
