/* Rounds up to an alignment.
   Requires: a nonzero alignment. Guarantees: no side effects. */
#pragma once

#include <stdint.h>

/* The smallest multiple of `align` that is at least `value`. value + align - 1 must not overflow. */
static inline uint64_t coro_align_to(uint64_t value, uint64_t align)
{
  return (value + align - 1) / align * align;
}
