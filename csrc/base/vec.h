/* Growable arrays in an arena: declare with CORO_VEC(type), append with coro_vec_push.
   Needs: an arena. Leaves: items[0..count); the old storage stays in the arena when it grows. */
#ifndef CORO_BASE_VEC_H
#define CORO_BASE_VEC_H

#include "base/arena.h"

#define CORO_VEC(type)                                                                                                 \
  struct {                                                                                                             \
    type *items;                                                                                                       \
    uint32_t count, capacity;                                                                                          \
  }

/* True when the item was appended; false when memory ran out, the vector then being as it was. */
#define coro_vec_push(arena, vec, item)                                                                                \
  (coro_vec_grow((arena), (void **)&(vec)->items, &(vec)->capacity, (vec)->count, sizeof *(vec)->items)                \
       ? ((vec)->items[(vec)->count++] = (item), true)                                                                 \
       : false)

bool coro_vec_grow(struct coro_arena *arena, void **items, uint32_t *capacity, uint32_t count, size_t item_size);

#endif
