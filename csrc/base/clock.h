/* Wall-clock time for measurements.
   Requires: nothing. Guarantees: no side effects. */
#pragma once

#include <time.h>

static inline double coro_now(void) /* seconds since an arbitrary epoch */
{
  struct timespec time = {0, 0};
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
