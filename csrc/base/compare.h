/* Comparison of numbers for qsort.
   Requires: nothing. Guarantees: negative, zero or positive. */
#pragma once

#include <stdint.h>

static inline int compare_numbers(uint32_t one, uint32_t other)
{
  return (one > other) - (one < other);
}

static inline int compare_uint32(const void *one, const void *other)
{
  return compare_numbers(*(const uint32_t *)one, *(const uint32_t *)other);
}
