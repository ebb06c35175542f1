/* Packing of fields by offset: widest alignment first, then largest, each at the lowest place that is free for it.
   Needs: base. Leaves: an offset for each item; a hole that alignment left is filled by a later, smaller item. */
#include "graph/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"

/* The items that share one place. Who conflicts with one of them conflicts with the place, so that the search looks
   at places: as many as are used side by side, however many items there are. */
struct place {
  uint64_t offset, end;
  const struct coro_bits *live; /* NULL: of no item may it be shared */
  uint32_t low, high;           /* the words of `live` that are not zero lie in [low, high) */
  uint64_t first, last;         /* the first and the last of them: most conflicts show here */
  bool merged;                  /* live is a union of the place's own */
};

struct order {
  const struct pack_item *item;
  uint32_t index;
};

static int by_alignment(const void *left, const void *right)
{
  const struct order *a = left, *b = right;
  if (a->item->align != b->item->align)
    return a->item->align < b->item->align ? 1 : -1;
  if (a->item->size != b->item->size)
    return a->item->size < b->item->size ? 1 : -1;
  return a->index < b->index ? -1 : 1;
}

static int by_size(const void *left, const void *right)
{
  const struct order *a = left, *b = right;
  if (a->item->size != b->item->size)
    return a->item->size > b->item->size ? -1 : 1;
  return by_alignment(left, right);
}
static void span(struct place *place)
{
  place->low = place->high = 0;
  place->first = place->last = 0;
  if (!place->live)
    return;
  uint32_t words = (uint32_t)(((uint64_t)place->live->size + 63) / 64);
  while (place->low < words && !place->live->words[place->low])
    place->low++;
  for (place->high = words; place->high > place->low && !place->live->words[place->high - 1];)
    place->high--;
  place->first = place->low < place->high ? place->live->words[place->low] : 0;
  place->last = place->low < place->high ? place->live->words[place->high - 1] : 0;
}

static bool conflict(const struct place *a, const struct place *b)
{
  if (!a->live || !b->live)
    return true;
  if ((a->low == b->low && a->first & b->first) || (a->high == b->high && a->last & b->last))
    return true;
  uint32_t low = a->low > b->low ? a->low : b->low, high = a->high < b->high ? a->high : b->high;
  for (uint32_t i = low; i < high; i++)
    if (a->live->words[i] & b->live->words[i])
      return true;
  return false;
}

/* False: there is no such offset. */
static bool align_up(uint64_t *offset, uint64_t align)
{
  if (*offset > UINT64_MAX - (align - 1))
    return false;
  *offset = (*offset + align - 1) & ~(align - 1);
  return true;
}

/* Lowest free offset at or after want->offset, by one walk over the places in the order of their offsets: a place that
   ended before the candidate cannot overlap a later candidate. */
static bool search(struct place *want, const struct place *places, uint32_t count, uint64_t size, uint64_t align)
{
  uint64_t offset = want->offset;
  if (!align_up(&offset, align) || offset > UINT64_MAX - size)
    return false;
  for (uint32_t i = 0; i < count && places[i].offset < offset + size; i++) {
    if (places[i].end <= offset || !conflict(want, &places[i]))
      continue;
    offset = places[i].end;
    if (!align_up(&offset, align) || offset > UINT64_MAX - size)
      return false;
  }
  want->offset = offset;
  want->end = offset + size;
  return true;
}

static bool share(struct coro_arena *arena, struct place *place, const struct place *with)
{
  struct coro_bits *both;
  if (place->merged) {
    both = (struct coro_bits *)place->live; /* of the place's own, made below */
  } else {
    if (!(both = CORO_NEW(arena, struct coro_bits)) || !coro_bits_init(both, arena, place->live->size))
      return false;
    coro_bits_union(both, place->live);
  }
  coro_bits_union(both, with->live);
  place->live = both;
  place->merged = true;
  span(place);
  return true;
}

/* Enters what `search` found; the places stay sorted by offset, then end. */
static bool insert(struct coro_arena *arena, struct place *places, uint32_t *count, const struct place *found)
{
  uint32_t low = 0, high = *count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct place *p = &places[middle];
    if (p->offset < found->offset || (p->offset == found->offset && p->end < found->end))
      low = middle + 1;
    else
      high = middle;
  }
  if (low < *count && places[low].offset == found->offset && places[low].end == found->end)
    return FAULTY(arena, third_shares) || share(arena, &places[low], found);
  if (low && !found->live && !places[low - 1].live && places[low - 1].end == found->offset) {
    places[low - 1].end = found->end; /* one place for all that lies side by side and is never shared */
    return true;
  }
  memmove(places + low + 1, places + low, (*count - low) * sizeof *places);
  places[low] = *found;
  ++*count;
  return true;
}

/* Places the items one after another in the given order, each as low as it can be. */
static bool place_in_order(struct coro_arena *arena, struct pack_item *items, uint32_t count, uint64_t start,
                           int (*compare)(const void *, const void *), uint64_t *end)
{
  struct order *order = CORO_NEW_ARRAY(arena, struct order, count);
  struct place *places = CORO_NEW_ARRAY(arena, struct place, count);
  if (!order || !places)
    return false;
  for (uint32_t i = 0; i < count; i++)
    order[i] = (struct order){&items[i], i};
  qsort(order, count, sizeof *order, compare);
  *end = start;
  uint32_t place_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct pack_item *item = &items[order[i].index];
    struct place found = {.offset = start, .live = item->live};
    span(&found);
    /* What takes no bytes overlaps nothing, wherever it lies. */
    if (!search(&found, places, item->size ? place_count : 0, item->size,
                FAULTY(arena, alignment_ignored) ? 1 : item->align))
      return false;
    item->offset = found.offset;
    if (item->size && !insert(arena, places, &place_count, &found))
      return false;
    *end = found.end > *end ? found.end : *end;
  }
  return true;
}

/* Strictest alignment first leaves the fewest holes where all items conflict; where some share, the largest first may
   be better. The better of the two is kept. */
bool pack_items(struct coro_arena *arena, struct pack_item *items, uint32_t count, uint64_t start, uint64_t *end,
                uint64_t *align)
{
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  bool shared = false;
  uint64_t other = 0;
  *align = 1;
  for (uint32_t i = 0; i < count; i++) {
    *align = items[i].align > *align ? items[i].align : *align;
    shared |= items[i].live != NULL;
  }
  if (shared && !place_in_order(arena, items, count, start, by_size, &other))
    return false;
  uint64_t *offsets = CORO_NEW_ARRAY(arena, uint64_t, count);
  if (!offsets)
    return false;
  for (uint32_t i = 0; i < count; i++)
    offsets[i] = items[i].offset;
  if (!place_in_order(arena, items, count, start, by_alignment, end))
    return false;
  if (shared && other < *end) {
    *end = other;
    for (uint32_t i = 0; i < count; i++)
      items[i].offset = offsets[i];
  }
  coro_arena_rewind(arena, scratch);
  return true;
}
