/* Comparison of numbers for qsort.
   Requires: nothing. Guarantees: negative, zero or positive. */
#ifndef CORO_BASE_COMPARE_H
#define CORO_BASE_COMPARE_H

#include <stdint.h>

static inline int compare_numbers(uint32_t one, uint32_t other)
{
  return (one > other) - (one < other);
}

#endif
