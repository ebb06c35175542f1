/* Bit sets (see bits.h). */
#include "base/bits.h"

#include <string.h>

static size_t words_in_bit_set(const struct coro_bits *bits)
{
  return ((size_t)bits->size + 63) / 64;
}

bool coro_bits_init(struct coro_bits *bits, struct coro_arena *arena, uint32_t size)
{
  bits->size = size;
  bits->words = CORO_NEW_ARRAY(arena, uint64_t, words_in_bit_set(bits));
  return bits->words != NULL;
}

void coro_bits_clear(struct coro_bits *bits)
{
  memset(bits->words, 0, words_in_bit_set(bits) * sizeof *bits->words);
}

void coro_bits_union(struct coro_bits *into, const struct coro_bits *from)
{
  for (size_t i = 0, n = words_in_bit_set(into); i < n; i++)
    into->words[i] |= from->words[i];
}

void coro_bits_intersect(struct coro_bits *into, const struct coro_bits *from)
{
  for (size_t i = 0, n = words_in_bit_set(into); i < n; i++)
    into->words[i] &= from->words[i];
}

void coro_bits_subtract(struct coro_bits *into, const struct coro_bits *from)
{
  for (size_t i = 0, n = words_in_bit_set(into); i < n; i++)
    into->words[i] &= ~from->words[i];
}

bool coro_bits_assign_if_different(struct coro_bits *into, const struct coro_bits *from)
{
  bool changed = memcmp(into->words, from->words, words_in_bit_set(into) * sizeof *into->words) != 0;
  memcpy(into->words, from->words, words_in_bit_set(into) * sizeof *into->words);
  return changed;
}
