/* Taken: how far the bytes from the start on are all taken, at each of many places.
   Needs: base. Leaves: a tree over the places; asking and telling cost the logarithm of their number for each range. */
#ifndef CORO_GRAPH_TAKEN_H
#define CORO_GRAPH_TAKEN_H

#include "graph/pack.h"

struct taken {
  struct taken_node *nodes; /* a binary tree in an array, the root first */
  uint32_t places;
};

bool taken_init(struct taken *taken, struct coro_arena *arena, uint32_t places); /* false: memory ran out */
void taken_reset(struct taken *taken, uint64_t start); /* everywhere nothing behind the start is taken */
/* The furthest at any place of the ranges: nothing that is live there can lie below. `start` where there is none. */
uint64_t taken_most(const struct taken *taken, const struct pack_range *ranges, uint32_t count, uint64_t start);
struct taken_bytes { /* [offset, end), where no smaller or less aligned item than these will be told of any more */
  uint64_t offset, end;
  uint64_t size, align;
};
/* The bytes are taken in the ranges. Where no such item has room in front of them, all is taken up to their end. */
void taken_tell(struct taken *taken, const struct pack_range *ranges, uint32_t count, const struct taken_bytes *bytes);

#endif
