/* Invariants: what holds whatever the input is.
   Needs: an arena. Leaves: a debug build nothing at all; any other a failed arena, which says why. */
#include "base/invariant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool coro_invariant_broken(struct coro_arena *arena, const char *condition, const char *file, int line)
{
  const char *slash = strrchr(file, '/');
  const char *name = slash ? slash + 1 : file;
  if (CORO_DEBUG) {
    fprintf(stderr, "%s:%d: this does not hold: %s\n", name, line, condition);
    abort();
  }
  coro_arena_break(arena, coro_arena_printf(arena, "%s does not hold (%s:%d)", condition, name, line));
  return false;
}
