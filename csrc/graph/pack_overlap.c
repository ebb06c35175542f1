/* Checks a layout for conflicting items that overlap: a sweep by offset over the high-water marks of packing.
   O(n log n); see high_water.h.
   Requires: base. Guarantees: the items do not change. */
#include <stdlib.h>

#include "graph/high_water.h"
#include "graph/pack.h"

static int compare_items_by_offset(const void *left, const void *right)
{
  const struct pack_item *a = *(const struct pack_item *const *)left, *b = *(const struct pack_item *const *)right;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return a < b ? -1 : a > b;
}

static bool do_items_conflict(const struct pack_item *a, const struct pack_item *b)
{
  if (!a->shares || !b->shares)
    return true;
  for (uint32_t i = 0, k = 0; i < a->live_count && k < b->live_count;) {
    if (a->live[i].first < b->live[k].end && b->live[k].first < a->live[i].end)
      return true;
    if (a->live[i].end < b->live[k].end)
      i++;
    else
      k++;
  }
  return false;
}

struct sweep {
  const struct pack_item **items; /* items of nonzero size, by offset */
  uint32_t count;
  uint64_t end, end_unshared; /* highest end so far of all items, and of unshareable ones */
  struct high_water taken; /* highest end so far of shareable items, by position */
};

static bool sort_items_by_offset(struct sweep *p, struct coro_arena *arena, const struct pack_item *items,
                                 uint32_t count)
{
  uint32_t places = 0;
  p->items = CORO_NEW_ARRAY(arena, const struct pack_item *, count);
  for (uint32_t i = 0; p->items && i < count; i++) {
    uint32_t last = items[i].live_count ? items[i].live[items[i].live_count - 1].end : 0;
    places = last > places ? last : places;
    if (items[i].size)
      p->items[p->count++] = &items[i];
  }
  if (!p->items || !high_water_init(&p->taken, arena, places))
    return false;
  high_water_reset(&p->taken, 0);
  qsort(p->items, p->count, sizeof *p->items, compare_items_by_offset);
  return true;
}

static bool starts_above_conflicting_ends(const struct sweep *p, const struct pack_item *item)
{
  uint64_t taken =
      item->shares ? high_water_maximum_in_ranges(&p->taken, item->live, item->live_count, p->end_unshared) : p->end;
  return taken <= item->offset;
}

static void record_item_high_water(struct sweep *p, const struct pack_item *item)
{
  uint64_t end = item->offset + item->size;
  p->end = end > p->end ? end : p->end;
  if (!item->shares)
    p->end_unshared = end > p->end_unshared ? end : p->end_unshared;
  else /* with this item size no gap in front is recorded */
    high_water_raise_unless_gap_fits(&p->taken, item->live, item->live_count,
                                     &(struct high_water_bytes){item->offset, end, UINT64_MAX, 1});
}

/* The last earlier item that conflicts with the item at `at`. Requires that there is one. */
static const struct pack_item *earlier_item_conflicting_with_item_at(const struct sweep *p, uint32_t at)
{
  const struct pack_item *item = p->items[at];
  while (at--)
    if (p->items[at]->offset + p->items[at]->size > item->offset && do_items_conflict(p->items[at], item))
      break;
  return p->items[at];
}

bool pack_find_conflicting_items_or_none(struct coro_arena *arena, const struct pack_item *items, uint32_t count,
                                         uint32_t pair[2])
{
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct sweep p = {0};
  pair[0] = pair[1] = GRAPH_NONE;
  if (!sort_items_by_offset(&p, arena, items, count))
    return false;
  for (uint32_t i = 0; i < p.count && pair[0] == GRAPH_NONE; i++) {
    if (starts_above_conflicting_ends(&p, p.items[i])) {
      record_item_high_water(&p, p.items[i]);
      continue;
    }
    pair[0] = (uint32_t)(earlier_item_conflicting_with_item_at(&p, i) - items);
    pair[1] = (uint32_t)(p.items[i] - items);
  }
  coro_arena_rewind(arena, scratch);
  return true;
}
