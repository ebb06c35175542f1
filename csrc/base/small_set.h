/* A set of at most 32 pointers, for searches that give up when they find more. Its items are in the order of their
   addition.
   Requires: nothing. Guarantees: no allocation. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SMALL_SET_MAX = 32 };

struct small_set {
  void *items[SMALL_SET_MAX];
  uint32_t count;
};

static inline bool small_set_has(const struct small_set *set, const void *item)
{
  for (uint32_t i = 0; i < set->count; i++)
    if (set->items[i] == item)
      return true;
  return false;
}

/* Adds an item unless the set has it. False: the set is full. */
static inline bool small_set_add(struct small_set *set, void *item)
{
  if (small_set_has(set, item))
    return true;
  if (set->count == SMALL_SET_MAX)
    return false;
  set->items[set->count++] = item;
  return true;
}
