/* High-water marks of packing: for each position, an offset below which no space is free for items of a given size. A
   segment tree; queries and updates cost the logarithm of the number of positions for each range.
   Requires: base. Guarantees: marks never decrease until a reset. */
#ifndef CORO_GRAPH_TAKEN_H
#define CORO_GRAPH_TAKEN_H

#include "graph/pack.h"

struct taken {
  struct taken_node *nodes; /* a binary tree in an array, the root first */
  uint32_t places;
};

bool taken_init(struct taken *taken, struct coro_arena *arena, uint32_t places); /* false: out of memory */
void taken_reset(struct taken *taken, uint64_t start); /* sets all marks to `start` */
/* The maximum mark in the ranges, a lower bound for the offset of an item live there; at least `start`. */
uint64_t taken_most(const struct taken *taken, const struct pack_range *ranges, uint32_t count, uint64_t start);
struct taken_bytes { /* [offset, end) is occupied; no later item is smaller or less aligned than size and align */
  uint64_t offset, end;
  uint64_t size, align;
};
/* Marks the bytes as occupied in the ranges. A mark rises to `end` unless an item of that size fits in the gap
   before. */
void taken_tell(struct taken *taken, const struct pack_range *ranges, uint32_t count, const struct taken_bytes *bytes);

#endif
