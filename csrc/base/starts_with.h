/* Tests whether a text starts with another one.
   Requires: nothing. */
#pragma once

#include <stdbool.h>
#include <string.h>

static inline bool coro_starts_with(const char *text, const char *prefix)
{
  return strncmp(text, prefix, strlen(prefix)) == 0;
}
