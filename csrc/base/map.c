/* Hash map from 64-bit keys to 64-bit values: open addressing, linear probing, load factor at most 1/2.
   Guarantees: a put that fails for lack of memory does not change the map. */
#include "base/map.h"

static bool rehash_with_capacity(struct coro_map *map, uint32_t capacity)
{
  uint64_t *keys = CORO_NEW_ARRAY(map->arena, uint64_t, capacity);
  uint64_t *values = keys ? coro_arena_alloc(map->arena, capacity * sizeof *values) : NULL;
  if (!values)
    return false;
  for (uint32_t i = 0; i < map->capacity; i++) {
    if (!map->keys[i])
      continue;
    uint32_t slot = coro_map_slot(keys, capacity, map->keys[i]);
    keys[slot] = map->keys[i];
    values[slot] = map->values[i];
  }
  map->keys = keys;
  map->values = values;
  map->capacity = capacity;
  return true;
}

void coro_map_init(struct coro_map *map, struct coro_arena *arena)
{
  *map = (struct coro_map){.arena = arena};
}

bool coro_map_reserve(struct coro_map *map, uint32_t count)
{
  uint32_t capacity = map->capacity ? map->capacity : 16;
  while (capacity / 2 < count)
    if (capacity <= UINT32_MAX / 2)
      capacity *= 2;
    else
      return false;
  return capacity == map->capacity || rehash_with_capacity(map, capacity);
}

uint64_t *coro_map_value_of_key(struct coro_map *map, uint64_t key)
{
  if (map->count >= map->capacity / 2 && !coro_map_reserve(map, map->count + 1))
    return NULL;
  uint32_t slot = coro_map_slot(map->keys, map->capacity, key);
  if (!map->keys[slot]) {
    map->count++;
    map->keys[slot] = key;
    map->values[slot] = 0;
  }
  return &map->values[slot];
}

bool coro_map_put(struct coro_map *map, uint64_t key, uint64_t value)
{
  uint64_t *at = coro_map_value_of_key(map, key);
  if (at)
    *at = value;
  return at;
}
