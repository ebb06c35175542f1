/* Rounding to an alignment.
   Needs: an alignment that is not 0. Leaves: nothing. */
#ifndef CORO_BASE_ALIGN_H
#define CORO_BASE_ALIGN_H

#include <stdint.h>

/* The least multiple of `align` that is not below `value`, which must be `align` away from the greatest number. */
static inline uint64_t coro_align_to(uint64_t value, uint64_t align)
{
  return (value + align - 1) / align * align;
}

#endif
