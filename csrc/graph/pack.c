/* Packing of fields by offset: widest alignment first, then largest, each at the lowest place that is free for it.
   Needs: base. Leaves: an offset for each item; a hole that alignment left is filled by a later, smaller item. */
#include "graph/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "graph/taken.h"

/* The items that share the same bytes. Who conflicts with one of them conflicts with the slot, so that the search looks
   at slots: as many as are used side by side, however many items there are. */
struct slot {
  uint64_t offset, end;
  bool shares; /* false: nothing else may have these bytes */
  CORO_VEC(struct pack_range) live;
};

/* An offset that some item of a kind has. */
struct choice {
  uint64_t offset;
  uint64_t before; /* index of another choice of the kind, plus one; 0: there is none */
};

enum { CHOICES = 8 }; /* that are tried for an item, so that time does not grow with their number */

struct packer {
  struct coro_arena *arena;
  struct pack_item *items;
  uint32_t count;
  uint64_t start;
  struct slot *slots;
  uint32_t slot_count;
  uint32_t *by_offset; /* slots, by offset and then by end */
  uint64_t *reach; /* by place in by_offset: the greatest end up to there */
  /* What is below it no item of at least this size and alignment can have. */
  struct taken taken;
  uint64_t size, align;
  struct pack_range everywhere;
  bool together; /* items of one kind are to have one offset, where they can */
  CORO_VEC(struct choice) choices;
  struct coro_map of_kind; /* kind -> index of its last choice, plus one */
};

struct order {
  const struct pack_item *item;
  uint32_t index;
};

static int by_alignment(const void *left, const void *right)
{
  const struct order *a = left, *b = right;
  if (a->item->fixed != b->item->fixed)
    return a->item->fixed ? -1 : 1;
  if (a->item->align != b->item->align)
    return a->item->align < b->item->align ? 1 : -1;
  if (a->item->size != b->item->size)
    return a->item->size < b->item->size ? 1 : -1;
  return a->index < b->index ? -1 : 1;
}

static int by_size(const void *left, const void *right)
{
  const struct order *a = left, *b = right;
  if (a->item->fixed != b->item->fixed)
    return a->item->fixed ? -1 : 1;
  if (a->item->size != b->item->size)
    return a->item->size > b->item->size ? -1 : 1;
  return by_alignment(left, right);
}

/* ---- Ranges ---- */

/* Of the first range that ends behind the place. */
static uint32_t first_behind(const struct pack_range *ranges, uint32_t count, uint32_t place)
{
  uint32_t low = 0;
  while (low < count) {
    uint32_t middle = low + (count - low) / 2;
    if (ranges[middle].end > place)
      count = middle;
    else
      low = middle + 1;
  }
  return low;
}

static bool meet(const struct pack_range *a, uint32_t a_count, const struct pack_range *b, uint32_t b_count)
{
  if (a_count > b_count)
    return meet(b, b_count, a, a_count);
  for (uint32_t i = 0; i < a_count; i++) {
    uint32_t at = first_behind(b, b_count, a[i].first);
    if (at < b_count && b[at].first < a[i].end)
      return true;
  }
  return false;
}

/* A range that meets none of the slot's. */
static bool add_range(struct coro_arena *arena, struct slot *slot, struct pack_range range)
{
  uint32_t at = first_behind(slot->live.items, slot->live.count, range.first);
  struct pack_range *before = at ? &slot->live.items[at - 1] : NULL;
  if (before && before->end == range.first) {
    before->end = range.end;
    return true;
  }
  if (!coro_vec_push(arena, &slot->live, range))
    return false;
  struct pack_range *moved = slot->live.items + at;
  memmove(moved + 1, moved, (slot->live.count - 1 - at) * sizeof *moved);
  *moved = range;
  return true;
}

static bool add_live(struct coro_arena *arena, struct slot *slot, const struct pack_item *item)
{
  for (uint32_t r = 0; r < item->live_count; r++)
    if (!add_range(arena, slot, item->live[r]))
      return false;
  return true;
}

/* ---- Slots ---- */

static bool conflict(const struct pack_item *item, const struct slot *slot)
{
  return !item->shares || !slot->shares || meet(item->live, item->live_count, slot->live.items, slot->live.count);
}

/* False: there is no such offset. */
static bool align_up(uint64_t *offset, uint64_t align)
{
  if (*offset > UINT64_MAX - (align - 1))
    return false;
  *offset = (*offset + align - 1) & ~(align - 1);
  return true;
}

static void tell(struct packer *p, const struct slot *slot)
{
  struct taken_bytes bytes = {slot->offset, slot->end, p->size, p->align};
  taken_tell(&p->taken, slot->shares ? slot->live.items : &p->everywhere, slot->shares ? slot->live.count : 1, &bytes);
}

/* Where an item is smaller or less aligned than all before, holes count that did not for these. Sizes go down by powers
   of two, so that this happens seldom. */
static void prepare(struct packer *p, const struct pack_item *item)
{
  if (item->size >= p->size && item->align >= p->align)
    return;
  while (p->size > item->size)
    p->size /= 2;
  p->align = item->align < p->align ? item->align : p->align;
  taken_reset(&p->taken, p->start);
  for (uint32_t i = 0; i < p->slot_count; i++)
    tell(p, &p->slots[p->by_offset[i]]);
}

/* The first slot by offset that ends behind it or has others before it that do. */
static uint32_t first_reaching(const struct packer *p, uint64_t offset)
{
  uint32_t low = 0, high = p->slot_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (p->reach[middle] > offset)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Lowest free offset, by one walk over the slots in the order of their offsets: one that ended before the candidate
   cannot overlap a later candidate. */
static bool search(struct packer *p, struct pack_item *item)
{
  uint64_t align = item->align;
  const struct pack_range *ranges = item->shares ? item->live : &p->everywhere;
  uint64_t offset = p->start;
  if (item->size) { /* what takes no bytes overlaps nothing, wherever it lies */
    prepare(p, item);
    offset = taken_most(&p->taken, ranges, item->shares ? item->live_count : 1, offset);
  }
  if (!align_up(&offset, align) || offset > UINT64_MAX - item->size)
    return false;
  for (uint32_t i = item->size ? first_reaching(p, offset) : p->slot_count; i < p->slot_count; i++) {
    const struct slot *slot = &p->slots[p->by_offset[i]];
    if (slot->offset >= offset + item->size)
      break;
    if (slot->end <= offset || !conflict(item, slot))
      continue;
    offset = slot->end;
    if (!align_up(&offset, align) || offset > UINT64_MAX - item->size)
      return false;
  }
  item->offset = offset;
  return true;
}

static void update_reach(struct packer *p, uint32_t from)
{
  for (uint32_t i = from; i < p->slot_count; i++) {
    uint64_t end = p->slots[p->by_offset[i]].end, reach = i && p->reach[i - 1] > end ? p->reach[i - 1] : end;
    if (i > from && p->reach[i] == reach)
      return;
    p->reach[i] = reach;
  }
}

/* Enters what `search` found; slots stay sorted by offset, then end. */
static bool insert(struct packer *p, const struct pack_item *item)
{
  uint32_t low = 0, high = p->slot_count;
  uint64_t offset = item->offset, end = offset + item->size;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct slot *s = &p->slots[p->by_offset[middle]];
    if (s->offset < offset || (s->offset == offset && s->end < end))
      low = middle + 1;
    else
      high = middle;
  }
  struct slot made = {.offset = offset, .end = end, .shares = item->shares};
  struct slot *at = low < p->slot_count ? &p->slots[p->by_offset[low]] : NULL;
  struct slot *before = low ? &p->slots[p->by_offset[low - 1]] : NULL;
  if (at && at->offset == offset && at->end == end)
    return add_live(p->arena, at, item);
  if (before && !made.shares && !before->shares && before->end == offset) {
    before->end = end; /* one slot for all that lies side by side and is never shared */
    update_reach(p, low - 1);
    return true;
  }
  memmove(p->by_offset + low + 1, p->by_offset + low, (p->slot_count - low) * sizeof *p->by_offset);
  memmove(p->reach + low + 1, p->reach + low, (p->slot_count - low) * sizeof *p->reach);
  p->by_offset[low] = p->slot_count;
  p->slots[p->slot_count++] = made;
  update_reach(p, low);
  return add_live(p->arena, &p->slots[p->by_offset[low]], item);
}

static bool is_free(const struct packer *p, const struct pack_item *item, uint64_t offset)
{
  for (uint32_t i = first_reaching(p, offset); i < p->slot_count; i++) {
    const struct slot *slot = &p->slots[p->by_offset[i]];
    if (slot->offset >= offset + item->size)
      break;
    if (slot->end > offset && conflict(item, slot))
      return false;
  }
  return true;
}

/* At the offset of another of its kind. */
static bool join(struct packer *p, struct pack_item *item)
{
  uint64_t at = 0;
  coro_map_get(&p->of_kind, item->kind, &at);
  for (unsigned i = 0; at && i < CHOICES; i++, at = p->choices.items[at - 1].before)
    if (is_free(p, item, p->choices.items[at - 1].offset)) {
      item->offset = p->choices.items[at - 1].offset;
      return true;
    }
  return false;
}

static bool offer(struct packer *p, const struct pack_item *item)
{
  uint64_t before = 0;
  coro_map_get(&p->of_kind, item->kind, &before);
  return coro_vec_push(p->arena, &p->choices, ((struct choice){item->offset, before})) &&
         coro_map_put(&p->of_kind, item->kind, p->choices.count);
}

static bool find(struct packer *p, struct pack_item *item)
{
  if (!p->together || !item->kind)
    return search(p, item);
  return join(p, item) || (search(p, item) && offer(p, item));
}

static bool place(struct packer *p, struct pack_item *item)
{
  if (!item->fixed && !find(p, item))
    return false;
  if (!item->size)
    return true;
  struct taken_bytes bytes = {item->offset, item->offset + item->size, p->size, p->align};
  taken_tell(&p->taken, item->shares ? item->live : &p->everywhere, item->shares ? item->live_count : 1, &bytes);
  return insert(p, item);
}

/* Places the items one after another in the given order, each as low as it can be. */
static bool place_in_order(struct packer *p, int (*compare)(const void *, const void *), uint64_t *end)
{
  struct order *order = CORO_NEW_ARRAY(p->arena, struct order, p->count);
  p->slots = CORO_NEW_ARRAY(p->arena, struct slot, p->count);
  p->by_offset = CORO_NEW_ARRAY(p->arena, uint32_t, p->count);
  p->reach = CORO_NEW_ARRAY(p->arena, uint64_t, p->count);
  if (!order || !p->slots || !p->by_offset || !p->reach)
    return false;
  for (uint32_t i = 0; i < p->count; i++)
    order[i] = (struct order){&p->items[i], i};
  qsort(order, p->count, sizeof *order, compare);
  p->choices.count = 0;
  coro_map_init(&p->of_kind, p->arena);
  p->slot_count = 0;
  p->size = p->align = UINT64_C(1) << 63;
  *end = p->start;
  for (uint32_t i = 0; i < p->count; i++) {
    struct pack_item *item = &p->items[order[i].index];
    if (!place(p, item))
      return false;
    *end = item->offset + item->size > *end ? item->offset + item->size : *end;
  }
  return true;
}

typedef int order_of(const void *, const void *);

/* Keeps these offsets if they need no more bytes than those that are there. */
static bool try_order(struct packer *p, order_of *order, uint64_t *offsets, uint64_t *end, order_of **kept)
{
  uint64_t needed;
  if (!place_in_order(p, order, &needed))
    return false;
  if (needed > *end)
    return true;
  *end = needed;
  *kept = order;
  for (uint32_t i = 0; i < p->count; i++)
    offsets[i] = p->items[i].offset;
  return true;
}

/* Strictest alignment first leaves the fewest holes where all items conflict; where some share, the largest first may
   be better. The better of the two is kept, and kinds together, where that is as good. */
static bool try_orders(struct packer *p, bool shared, bool kinds, uint64_t *end)
{
  uint64_t *offsets = CORO_NEW_ARRAY(p->arena, uint64_t, p->count);
  order_of *kept = NULL;
  *end = UINT64_MAX;
  if (!offsets || (shared && !try_order(p, by_size, offsets, end, &kept)) ||
      !try_order(p, by_alignment, offsets, end, &kept))
    return false;
  p->together = true;
  if (shared && kinds && !try_order(p, kept, offsets, end, &kept))
    return false;
  for (uint32_t i = 0; i < p->count; i++)
    p->items[i].offset = offsets[i];
  return true;
}

bool pack_items(struct coro_arena *arena, struct pack_item *items, uint32_t count, uint64_t start, uint64_t *end,
                uint64_t *align)
{
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct packer p = {.arena = arena, .items = items, .count = count, .start = start, .everywhere = {0, 1}};
  bool shared = false, kinds = false;
  *align = 1;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t last = items[i].live_count ? items[i].live[items[i].live_count - 1].end : 0;
    *align = items[i].align > *align ? items[i].align : *align;
    shared |= items[i].shares;
    kinds |= items[i].kind != 0;
    p.everywhere.end = items[i].shares && last > p.everywhere.end ? last : p.everywhere.end;
  }
  if (!taken_init(&p.taken, arena, p.everywhere.end) || !try_orders(&p, shared, kinds, end))
    return false;
  coro_arena_rewind(arena, scratch);
  return true;
}
