/* Growable arrays in an arena (see vec.h). Amortized O(1) per item. */
#include "base/vec.h"

#include <string.h>

bool coro_vec_double_capacity(struct coro_arena *arena, void **items, uint32_t *capacity, uint32_t count,
                              size_t item_size)
{
  if (count > UINT32_MAX / 2)
    return false;
  uint32_t larger = count ? count * 2 : 8;
  void *storage = coro_arena_alloc(arena, larger <= SIZE_MAX / item_size ? larger * item_size : SIZE_MAX);
  if (!storage)
    return false;
  if (count)
    memcpy(storage, *items, count * item_size);
  *items = storage;
  *capacity = larger;
  return true;
}
