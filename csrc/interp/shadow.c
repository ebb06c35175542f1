/* Shadow memory for undefined bytes: an open-addressing hash table of 64-byte chunks with two bits per byte. */
#include "interp/shadow.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN = 0xa9 }; /* contents of undefined bytes */

static size_t shadow_slot_for_key(const struct shadow *shadow, uint64_t key)
{
  size_t mask = shadow->capacity - 1, at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & mask;
  while (shadow->chunks[at].key && shadow->chunks[at].key != key)
    at = (at + 1) & mask;
  return at;
}

/* Ensures space for one more chunk; drops chunks without marked bytes when it grows. */
static bool reserve_shadow_chunk(struct shadow *shadow)
{
  if (2 * (shadow->count + 1) <= shadow->capacity)
    return true;
  struct shadow old = *shadow;
  size_t live = 0;
  for (size_t i = 0; i < old.capacity; i++)
    live += old.chunks[i].undef != 0;
  size_t capacity = 256;
  while (capacity < 4 * (live + 1))
    capacity *= 2;
  shadow->chunks = calloc(capacity, sizeof *shadow->chunks);
  if (!shadow->chunks) {
    shadow->chunks = old.chunks;
    return false;
  }
  shadow->capacity = capacity;
  shadow->count = live;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.chunks[i].undef)
      shadow->chunks[shadow_slot_for_key(shadow, old.chunks[i].key)] = old.chunks[i];
  free(old.chunks);
  return true;
}

static uint64_t mask_of_bits(unsigned first, uint64_t count)
{
  return (count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

bool shadow_mark_bytes(struct shadow *shadow, uint64_t address, uint64_t size, bool undef, bool poison)
{
  for (uint64_t done = 0; done < size;) {
    uint64_t at = address + done, key = (at >> 6) + 1;
    unsigned first = at & 63;
    uint64_t count = size - done < 64 - first ? size - done : 64 - first, mask = mask_of_bits(first, count);
    done += count;
    if (!shadow->capacity && !undef)
      continue;
    if (undef && !reserve_shadow_chunk(shadow))
      return false;
    struct chunk *chunk = &shadow->chunks[shadow_slot_for_key(shadow, key)];
    if (!chunk->key && !undef)
      continue;
    shadow->count += !chunk->key;
    chunk->key = key;
    chunk->undef = undef ? chunk->undef | mask : chunk->undef & ~mask;
    chunk->poison = undef && poison ? chunk->poison | mask : chunk->poison & ~mask;
  }
  return true;
}

static uint64_t marked_byte_mask(const struct shadow *shadow, uint64_t address, unsigned size, uint64_t *poison)
{
  uint64_t found = 0;
  *poison = 0;
  for (unsigned done = 0; done < size && shadow->capacity;) {
    uint64_t at = address + done;
    unsigned first = at & 63, count = size - done < 64 - first ? size - done : 64 - first;
    const struct chunk *chunk = &shadow->chunks[shadow_slot_for_key(shadow, (at >> 6) + 1)];
    if (chunk->key) {
      found |= (chunk->undef & mask_of_bits(first, count)) >> first << done;
      *poison |= (chunk->poison & mask_of_bits(first, count)) >> first << done;
    }
    done += count;
  }
  return found;
}

/* Marked bytes that no longer hold the pattern were written by native code. */
uint64_t shadow_query_undefined_bytes(const struct shadow *shadow, uint64_t address, unsigned size, uint64_t *poison)
{
  uint64_t undef = marked_byte_mask(shadow, address, size, poison);
  for (unsigned i = 0; undef >> i && i < size; i++)
    if (undef >> i & 1 && bytes_at(address)[i] != PATTERN)
      undef &= ~(UINT64_C(1) << i);
  *poison &= undef;
  return undef;
}

bool shadow_fill_and_mark_undefined(struct shadow *shadow, uint64_t address, uint64_t size, bool poison)
{
  memset(bytes_at(address), PATTERN, size);
  return shadow_mark_bytes(shadow, address, size, true, poison);
}

void shadow_free(struct shadow *shadow)
{
  free(shadow->chunks);
}
