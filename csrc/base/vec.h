/* Growable arrays in an arena: declare with CORO_VEC(type), append with coro_vec_push.
   Requires: an arena. Guarantees: items[0..count); growing leaves the old storage in the arena. */
#pragma once

#include "base/arena.h"

#define CORO_VEC(type)                                                                                                 \
  struct {                                                                                                             \
    type *items;                                                                                                       \
    uint32_t count, capacity;                                                                                          \
  }

/* Appends an item. False: out of memory; the vector does not change. */
#define coro_vec_push(arena, vec, item)                                                                                \
  ((vec)->count < (vec)->capacity || coro_vec_double_capacity((arena), (void **)&(vec)->items, &(vec)->capacity,       \
                                                              (vec)->count, sizeof *(vec)->items)                      \
       ? ((vec)->items[(vec)->count++] = (item), true)                                                                 \
       : false)

bool coro_vec_double_capacity(struct coro_arena *arena, void **items, uint32_t *capacity, uint32_t count,
                              size_t item_size);
