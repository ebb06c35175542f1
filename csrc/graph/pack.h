/* Packing of fields by offset.
   Needs: base. Leaves: an offset for each item: aligned, and disjoint from every item that it conflicts with. */
#ifndef CORO_GRAPH_PACK_H
#define CORO_GRAPH_PACK_H

#include "base/arena.h"
#include "graph/graph.h"

struct pack_range { /* [first, end), not empty */
  uint32_t first, end;
};

struct pack_item {
  uint64_t size, align;           /* bytes; align is a power of two; size 0 is allowed */
  bool shares;                    /* conflicts only with items that are live where it is; else with all */
  const struct pack_range *live;  /* live_count places where it is needed, in order, apart from each other */
  uint32_t live_count;
  bool fixed;                     /* it is at its offset already */
  /* Of one kind, of one size and alignment, and not 0: they had better have one offset, where that costs no byte. */
  uint32_t kind;
  uint64_t offset;                /* result */
};

/* Places the items at or after `start`, where no fixed one is in their way. Deterministic: equal input gives equal
   offsets. *end is the first byte past all items (not rounded), *align the greatest alignment among them (at least 1).
   False: memory ran out. */
bool pack_items(struct coro_arena *arena, struct pack_item *items, uint32_t count, uint64_t start, uint64_t *end,
                uint64_t *align);
/* Two items, given their offsets, that conflict and have a byte in common; GRAPH_NONE twice: there are none. False:
   memory ran out. */
bool pack_overlap(struct coro_arena *arena, const struct pack_item *items, uint32_t count, uint32_t pair[2]);

#endif
