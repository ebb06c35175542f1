/* High-water marks of packing: for each position, an offset below which no space is free for items of a given size. A
   segment tree; queries and updates cost the logarithm of the number of positions for each range.
   Requires: base. Guarantees: marks never decrease until a reset. */
#pragma once

#include "graph/pack.h"

struct high_water {
  struct high_water_node *nodes; /* a binary tree in an array, the root first */
  uint32_t places;
};

bool high_water_init(struct high_water *taken, struct coro_arena *arena, uint32_t places); /* false: out of memory */
void high_water_reset(struct high_water *taken, uint64_t start); /* sets all marks to `start` */
/* The maximum mark in the ranges, a lower bound for the offset of an item live there; at least `start`. */
uint64_t high_water_maximum_in_ranges(const struct high_water *taken, const struct pack_range *ranges, uint32_t count,
                                      uint64_t start);
struct high_water_bytes { /* [offset, end) is occupied; no later item is smaller or less aligned than size and align */
  uint64_t offset, end;
  uint64_t size, align;
};
/* Marks the bytes as occupied in the ranges. A mark rises to `end` unless an item of that size fits in the gap
   before. */
void high_water_raise_unless_gap_fits(struct high_water *taken, const struct pack_range *ranges, uint32_t count,
                                      const struct high_water_bytes *bytes);
