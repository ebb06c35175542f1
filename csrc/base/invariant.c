/* Checks of internal invariants (see invariant.h). */
#include "base/invariant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool coro_report_broken_invariant(struct coro_arena *arena, const char *condition, const char *file, int line)
{
  const char *slash = strrchr(file, '/');
  const char *name = slash ? slash + 1 : file;
  if (CORO_DEBUG) {
    fprintf(stderr, "%s:%d: invariant violated: %s\n", name, line, condition);
    abort();
  }
  coro_arena_record_internal_error(arena,
                                   coro_arena_printf(arena, "invariant violated: %s (%s:%d)", condition, name, line));
  return false;
}
