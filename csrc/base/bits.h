/* Fixed-size bit sets over dense ids.
   Requires: an arena. Guarantees: words[(n + 63) / 64]; all bits past n are zero. */
#pragma once

#include "base/invariant.h"

struct coro_bits {
  uint64_t *words;
  uint32_t size; /* in bits */
};

bool coro_bits_init(struct coro_bits *bits, struct coro_arena *arena, uint32_t size); /* false: out of memory */
void coro_bits_clear(struct coro_bits *bits);
/* Both of equal size. */
void coro_bits_union(struct coro_bits *into, const struct coro_bits *from);
void coro_bits_intersect(struct coro_bits *into, const struct coro_bits *from);
void coro_bits_subtract(struct coro_bits *into, const struct coro_bits *from);
bool coro_bits_assign_if_different(struct coro_bits *into, const struct coro_bits *from); /* true: `into` changed */

static inline bool coro_bits_get(const struct coro_bits *bits, uint32_t i)
{
  return bits->words[CORO_INDEX(i, bits->size) / 64] >> (i % 64) & 1;
}

static inline void coro_bits_set(struct coro_bits *bits, uint32_t i)
{
  bits->words[CORO_INDEX(i, bits->size) / 64] |= UINT64_C(1) << (i % 64);
}

static inline void coro_bits_unset(struct coro_bits *bits, uint32_t i)
{
  bits->words[CORO_INDEX(i, bits->size) / 64] &= ~(UINT64_C(1) << (i % 64));
}
