/* Assigns offsets to frame fields; fields that are never live at the same time may share bytes.
   Requires: base. Guarantees: each offset is aligned, and the item is disjoint from every item that it conflicts
   with. */
#pragma once

#include "base/arena.h"
#include "graph/graph.h"

struct pack_range { /* [first, end), not empty */
  uint32_t first, end;
};

struct pack_item {
  uint64_t size, align; /* bytes; align is a power of two; size 0 is allowed */
  /* Conflicts only with items that are live at the same positions; else with all items. */
  bool shares;
  const struct pack_range *live; /* live range: live_count disjoint ranges of positions, in order */
  uint32_t live_count;
  bool fixed; /* already has its offset */
  /* Items of one nonzero kind (same size and alignment) get a common offset if that costs no bytes. */
  uint32_t kind;
  uint64_t offset; /* result */
};

/* Places the items at or after `start`, around fixed ones. Deterministic. *end is the first byte after all items
   (not rounded), *align the maximum alignment (at least 1). False: out of memory, or a byte offset above 2^64. */
bool pack_items_into_frame(struct coro_arena *arena, struct pack_item *items, uint32_t count, uint64_t start,
                           uint64_t *end, uint64_t *align);
/* Returns two items that conflict and overlap at their offsets; GRAPH_NONE twice: none. False: out of memory. */
bool pack_find_conflicting_items_or_none(struct coro_arena *arena, const struct pack_item *items, uint32_t count,
                                         uint32_t pair[2]);
