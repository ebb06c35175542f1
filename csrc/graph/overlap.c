/* Overlap: whether items that have been placed conflict.
   Needs: base. Leaves: the items as they were. In the order of their offsets it is enough to know how far the bytes are
   taken so far, at each place. */
#include <stdlib.h>

#include "graph/pack.h"
#include "graph/taken.h"

static int by_offset(const void *left, const void *right)
{
  const struct pack_item *a = *(const struct pack_item *const *)left, *b = *(const struct pack_item *const *)right;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return a < b ? -1 : a > b;
}

static bool meet(const struct pack_item *a, const struct pack_item *b)
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

struct placed {
  const struct pack_item **items; /* those that have bytes, by offset */
  uint32_t count;
  uint64_t end, end_alone; /* the furthest so far of all, and of those that share with none */
  struct taken taken; /* the furthest so far of the others, by place */
};

static bool sort(struct placed *p, struct coro_arena *arena, const struct pack_item *items, uint32_t count)
{
  uint32_t places = 0;
  p->items = CORO_NEW_ARRAY(arena, const struct pack_item *, count);
  for (uint32_t i = 0; p->items && i < count; i++) {
    uint32_t last = items[i].live_count ? items[i].live[items[i].live_count - 1].end : 0;
    places = last > places ? last : places;
    if (items[i].size)
      p->items[p->count++] = &items[i];
  }
  if (!p->items || !taken_init(&p->taken, arena, places))
    return false;
  taken_reset(&p->taken, 0);
  qsort(p->items, p->count, sizeof *p->items, by_offset);
  return true;
}

static bool is_clear(const struct placed *p, const struct pack_item *item)
{
  uint64_t taken = item->shares ? taken_most(&p->taken, item->live, item->live_count, p->end_alone) : p->end;
  return taken <= item->offset;
}

static void enter(struct placed *p, const struct pack_item *item)
{
  uint64_t end = item->offset + item->size;
  p->end = end > p->end ? end : p->end;
  if (!item->shares)
    p->end_alone = end > p->end_alone ? end : p->end_alone;
  else /* no hole in front is told of: nothing is small enough for one */
    taken_tell(&p->taken, item->live, item->live_count, &(struct taken_bytes){item->offset, end, UINT64_MAX, 1});
}

/* The item before it that stands in its way. */
static const struct pack_item *rival(const struct placed *p, uint32_t at)
{
  const struct pack_item *item = p->items[at];
  while (at--)
    if (p->items[at]->offset + p->items[at]->size > item->offset && meet(p->items[at], item))
      break;
  return p->items[at];
}

bool pack_overlap(struct coro_arena *arena, const struct pack_item *items, uint32_t count, uint32_t pair[2])
{
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct placed p = {0};
  pair[0] = pair[1] = GRAPH_NONE;
  if (!sort(&p, arena, items, count))
    return false;
  for (uint32_t i = 0; i < p.count && pair[0] == GRAPH_NONE; i++) {
    if (is_clear(&p, p.items[i])) {
      enter(&p, p.items[i]);
      continue;
    }
    pair[0] = (uint32_t)(rival(&p, i) - items);
    pair[1] = (uint32_t)(p.items[i] - items);
  }
  coro_arena_rewind(arena, scratch);
  return true;
}
