/* Which bytes of memory are undefined: two bits for each such byte, in a table of 64-byte chunks.
   Needs: nothing. Leaves: bytes that nobody marked are defined. */
#include <stdlib.h>

#include "interp/room.h"

static size_t slot_of(const struct memory *memory, uint64_t key)
{
  size_t mask = memory->chunk_capacity - 1, at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & mask;
  while (memory->chunks[at].key && memory->chunks[at].key != key)
    at = (at + 1) & mask;
  return at;
}

/* Room for one more; entries without a marked byte are dropped on the way. */
static bool reserve(struct memory *memory)
{
  if (2 * (memory->chunk_count + 1) <= memory->chunk_capacity)
    return true;
  struct memory old = *memory;
  size_t live = 0;
  for (size_t i = 0; i < old.chunk_capacity; i++)
    live += old.chunks[i].undef != 0;
  size_t capacity = 256;
  while (capacity < 4 * (live + 1))
    capacity *= 2;
  memory->chunks = calloc(capacity, sizeof *memory->chunks);
  if (!memory->chunks) {
    memory->chunks = old.chunks;
    return false;
  }
  memory->chunk_capacity = capacity;
  memory->chunk_count = live;
  for (size_t i = 0; i < old.chunk_capacity; i++)
    if (old.chunks[i].undef)
      memory->chunks[slot_of(memory, old.chunks[i].key)] = old.chunks[i];
  free(old.chunks);
  return true;
}

static uint64_t bytes_mask(unsigned first, uint64_t count)
{
  return (count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

bool shadow_mark(struct memory *memory, uint64_t address, uint64_t size, bool undef, bool poison)
{
  for (uint64_t done = 0; done < size;) {
    uint64_t at = address + done, key = (at >> 6) + 1;
    unsigned first = at & 63;
    uint64_t count = size - done < 64 - first ? size - done : 64 - first, mask = bytes_mask(first, count);
    done += count;
    if (!memory->chunk_capacity && !undef)
      continue;
    if (undef && !reserve(memory))
      return false;
    struct chunk *chunk = &memory->chunks[slot_of(memory, key)];
    if (!chunk->key && !undef)
      continue;
    memory->chunk_count += !chunk->key;
    chunk->key = key;
    chunk->undef = undef ? chunk->undef | mask : chunk->undef & ~mask;
    chunk->poison = undef && poison ? chunk->poison | mask : chunk->poison & ~mask;
  }
  return true;
}

uint64_t shadow_undef(const struct memory *memory, uint64_t address, unsigned size, uint64_t *poison)
{
  uint64_t found = 0;
  *poison = 0;
  for (unsigned done = 0; done < size && memory->chunk_capacity;) {
    uint64_t at = address + done;
    unsigned first = at & 63, count = size - done < 64 - first ? size - done : 64 - first;
    const struct chunk *chunk = &memory->chunks[slot_of(memory, (at >> 6) + 1)];
    if (chunk->key) {
      found |= (chunk->undef & bytes_mask(first, count)) >> first << done;
      *poison |= (chunk->poison & bytes_mask(first, count)) >> first << done;
    }
    done += count;
  }
  return found;
}
