/* Hash map from 64-bit keys (a pointer, or two ids) to 64-bit values. It has no iteration, so that no output depends on
   addresses.
   Requires: an arena. Guarantees: the last value put for each key. */
#pragma once

#include "base/arena.h"

struct coro_map {
  struct coro_arena *arena;
  uint64_t *keys; /* 0 marks an empty slot */
  uint64_t *values;
  uint32_t count, capacity;
};

void coro_map_init(struct coro_map *map, struct coro_arena *arena);
bool coro_map_reserve(struct coro_map *map, uint32_t count); /* reserves space for `count` keys */
bool coro_map_put(struct coro_map *map, uint64_t key, uint64_t value); /* key is not 0; false: out of memory */
/* The value of a key, which is not 0; a new key is added with value 0. Valid until the next addition. NULL: out of
   memory. */
uint64_t *coro_map_value_of_key(struct coro_map *map, uint64_t key);

/* The slot of the key, or the empty slot where it belongs. Fibonacci hashing (Knuth): the high bits of the product
   depend on all key bits, and consecutive keys get distant slots. The capacity is a power of two. */
static inline uint32_t coro_map_slot(const uint64_t *keys, uint32_t capacity, uint64_t key)
{
  uint32_t slot = (uint32_t)(((key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (capacity - 1);
  while (keys[slot] && keys[slot] != key)
    slot = (slot + 1) & (capacity - 1);
  return slot;
}

/* The value of a key, valid until the next addition; NULL: not found. */
static inline uint64_t *coro_map_find(const struct coro_map *map, uint64_t key)
{
  uint32_t slot = map->capacity ? coro_map_slot(map->keys, map->capacity, key) : 0;
  return map->capacity && map->keys[slot] ? &map->values[slot] : NULL;
}

static inline bool coro_map_get(const struct coro_map *map, uint64_t key, uint64_t *value) /* false: not found */
{
  const uint64_t *found = coro_map_find(map, key);
  if (found)
    *value = *found;
  return found;
}

static inline bool coro_map_has(const struct coro_map *map, uint64_t key)
{
  uint64_t value;
  return coro_map_get(map, key, &value);
}

static inline uint64_t coro_map_key(const void *pointer)
{
  return (uint64_t)(uintptr_t)pointer;
}
static inline uint64_t coro_map_pair(uint32_t a, uint32_t b) /* never 0 */
{
  return ((uint64_t)a + 1) << 32 | b;
}
