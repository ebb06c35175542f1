/* Tests whether a text starts with another one.
   Requires: nothing. */
#ifndef CORO_BASE_STARTS_WITH_H
#define CORO_BASE_STARTS_WITH_H

#include <stdbool.h>
#include <string.h>

static inline bool coro_starts_with(const char *text, const char *prefix)
{
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

#endif
