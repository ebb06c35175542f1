/* Assigns offsets to frame fields: first-fit decreasing (by alignment or by size), where items with disjoint live
   ranges may overlap. This is dynamic storage allocation. Each search is logarithmic plus the slots it tests. */
#include "graph/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "graph/high_water.h"

/* Items that share the same bytes. An item conflicts with a slot if it conflicts with one of its items, so that
   searches cost the number of slots, not of items. */
struct slot {
  uint64_t offset, end;
  bool shares; /* false: exclusive */
  CORO_VEC(struct pack_range) live;
};

/* An offset that was assigned to an item of some kind. */
struct choice {
  uint64_t offset;
  uint64_t before; /* index of the previous choice of that kind, plus one; 0: none */
};

enum { MAX_CHOICES = 8 }; /* number of offsets tried per item, to bound the cost */

struct packer {
  struct coro_arena *arena;
  struct pack_item *items;
  uint32_t count;
  uint64_t start;
  struct slot *slots;
  uint32_t slot_count;
  uint32_t *by_offset; /* slots by offset, then by end */
  uint64_t *reach; /* by position in by_offset: greatest end so far */
  /* Lower bounds: no item of at least `size` and `align` fits below them. */
  struct high_water taken;
  uint64_t size, align;
  struct pack_range all_positions;
  bool together; /* items of one kind prefer a common offset */
  CORO_VEC(struct choice) choices;
  struct coro_map of_kind; /* kind -> index of its last choice, plus one */
};

struct order {
  const struct pack_item *item;
  uint32_t index;
};

static int compare_items_by_alignment(const void *left, const void *right)
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

static int compare_items_by_size(const void *left, const void *right)
{
  const struct order *a = left, *b = right;
  if (a->item->fixed != b->item->fixed)
    return a->item->fixed ? -1 : 1;
  if (a->item->size != b->item->size)
    return a->item->size > b->item->size ? -1 : 1;
  return compare_items_by_alignment(left, right);
}

/* ---- Ranges ---- */

/* Index of the first range that ends after the position. */
static uint32_t first_range_ending_after(const struct pack_range *ranges, uint32_t count, uint32_t position)
{
  uint32_t low = 0;
  while (low < count) {
    uint32_t middle = low + (count - low) / 2;
    if (ranges[middle].end > position)
      count = middle;
    else
      low = middle + 1;
  }
  return low;
}

static bool ranges_overlap(const struct pack_range *a, uint32_t a_count, const struct pack_range *b, uint32_t b_count)
{
  if (a_count > b_count)
    return ranges_overlap(b, b_count, a, a_count);
  for (uint32_t i = 0; i < a_count; i++) {
    uint32_t at = first_range_ending_after(b, b_count, a[i].first);
    if (at < b_count && b[at].first < a[i].end)
      return true;
  }
  return false;
}

/* Inserts a range that overlaps none of the slot's. */
static bool insert_live_range_into_slot(struct coro_arena *arena, struct slot *slot, struct pack_range range)
{
  uint32_t at = first_range_ending_after(slot->live.items, slot->live.count, range.first);
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

static bool add_live_ranges_to_slot(struct coro_arena *arena, struct slot *slot, const struct pack_item *item)
{
  for (uint32_t r = 0; r < item->live_count; r++)
    if (!insert_live_range_into_slot(arena, slot, item->live[r]))
      return false;
  return true;
}

/* ---- Slots ---- */

static bool conflicts_with_slot(const struct pack_item *item, const struct slot *slot)
{
  return !item->shares || !slot->shares ||
         ranges_overlap(item->live, item->live_count, slot->live.items, slot->live.count);
}

/* False: the offset overflows. */
static bool align_up_without_overflow(uint64_t *offset, uint64_t align)
{
  if (*offset > UINT64_MAX - (align - 1))
    return false;
  *offset = (*offset + align - 1) & ~(align - 1);
  return true;
}

static void raise_lower_bounds_after_slot(struct packer *p, const struct slot *slot)
{
  struct high_water_bytes bytes = {slot->offset, slot->end, p->size, p->align};
  high_water_raise_unless_gap_fits(&p->taken, slot->shares ? slot->live.items : &p->all_positions,
                                   slot->shares ? slot->live.count : 1, &bytes);
}

/* If an item is smaller or less aligned than all before, smaller gaps count and the bounds are rebuilt. `size`
   decreases by powers of two, so that this is rare. */
static void rebuild_bounds_if_item_is_smaller(struct packer *p, const struct pack_item *item)
{
  if (item->size >= p->size && item->align >= p->align)
    return;
  while (p->size > item->size)
    p->size /= 2;
  p->align = item->align < p->align ? item->align : p->align;
  high_water_reset(&p->taken, p->start);
  for (uint32_t i = 0; i < p->slot_count; i++)
    raise_lower_bounds_after_slot(p, &p->slots[p->by_offset[i]]);
}

/* The first slot by offset for which it or an earlier slot ends after `offset`. */
static uint32_t first_slot_reaching_offset(const struct packer *p, uint64_t offset)
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

/* Sets item->offset to the lowest free offset: scans the slots by offset from the lower bound on. False: the offset
   overflows. */
static bool find_lowest_offset_without_overflow(struct packer *p, struct pack_item *item)
{
  uint64_t align = item->align;
  const struct pack_range *ranges = item->shares ? item->live : &p->all_positions;
  uint64_t offset = p->start;
  if (item->size) { /* items of size 0 never overlap */
    rebuild_bounds_if_item_is_smaller(p, item);
    offset = high_water_maximum_in_ranges(&p->taken, ranges, item->shares ? item->live_count : 1, offset);
  }
  if (!align_up_without_overflow(&offset, align) || offset > UINT64_MAX - item->size)
    return false;
  for (uint32_t i = item->size ? first_slot_reaching_offset(p, offset) : p->slot_count; i < p->slot_count; i++) {
    const struct slot *slot = &p->slots[p->by_offset[i]];
    if (slot->offset >= offset + item->size)
      break;
    if (slot->end <= offset || !conflicts_with_slot(item, slot))
      continue;
    offset = slot->end;
    if (!align_up_without_overflow(&offset, align) || offset > UINT64_MAX - item->size)
      return false;
  }
  item->offset = offset;
  return true;
}

static void update_running_maximum_of_ends(struct packer *p, uint32_t from)
{
  for (uint32_t i = from; i < p->slot_count; i++) {
    uint64_t end = p->slots[p->by_offset[i]].end, reach = i && p->reach[i - 1] > end ? p->reach[i - 1] : end;
    if (i > from && p->reach[i] == reach)
      return;
    p->reach[i] = reach;
  }
}

/* Adds an item at the offset that was found; slots stay sorted by offset, then end. */
static bool insert_item_into_slots(struct packer *p, const struct pack_item *item)
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
  struct slot slot = {.offset = offset, .end = end, .shares = item->shares};
  struct slot *at = low < p->slot_count ? &p->slots[p->by_offset[low]] : NULL;
  struct slot *before = low ? &p->slots[p->by_offset[low - 1]] : NULL;
  if (at && at->offset == offset && at->end == end)
    return add_live_ranges_to_slot(p->arena, at, item);
  if (before && !slot.shares && !before->shares && before->end == offset) {
    before->end = end; /* extends an adjacent exclusive slot */
    update_running_maximum_of_ends(p, low - 1);
    return true;
  }
  memmove(p->by_offset + low + 1, p->by_offset + low, (p->slot_count - low) * sizeof *p->by_offset);
  memmove(p->reach + low + 1, p->reach + low, (p->slot_count - low) * sizeof *p->reach);
  p->by_offset[low] = p->slot_count;
  p->slots[p->slot_count++] = slot;
  update_running_maximum_of_ends(p, low);
  return add_live_ranges_to_slot(p->arena, &p->slots[p->by_offset[low]], item);
}

static bool is_offset_free_for_item(const struct packer *p, const struct pack_item *item, uint64_t offset)
{
  for (uint32_t i = first_slot_reaching_offset(p, offset); i < p->slot_count; i++) {
    const struct slot *slot = &p->slots[p->by_offset[i]];
    if (slot->offset >= offset + item->size)
      break;
    if (slot->end > offset && conflicts_with_slot(item, slot))
      return false;
  }
  return true;
}

/* Gives the item the offset of another one of its kind, if that is free. False: none is. */
static bool find_reusable_offset_of_kind(struct packer *p, struct pack_item *item)
{
  uint64_t at = 0;
  coro_map_get(&p->of_kind, item->kind, &at);
  for (unsigned i = 0; at && i < MAX_CHOICES; i++, at = p->choices.items[at - 1].before)
    if (is_offset_free_for_item(p, item, p->choices.items[at - 1].offset)) {
      item->offset = p->choices.items[at - 1].offset;
      return true;
    }
  return false;
}

static bool record_offset_of_kind(struct packer *p, const struct pack_item *item)
{
  uint64_t before = 0;
  coro_map_get(&p->of_kind, item->kind, &before);
  return coro_vec_push(p->arena, &p->choices, ((struct choice){item->offset, before})) &&
         coro_map_put(&p->of_kind, item->kind, p->choices.count);
}

static bool find_offset_without_overflow(struct packer *p, struct pack_item *item)
{
  if (!p->together || !item->kind)
    return find_lowest_offset_without_overflow(p, item);
  return find_reusable_offset_of_kind(p, item) ||
         (find_lowest_offset_without_overflow(p, item) && record_offset_of_kind(p, item));
}

static bool place_item_without_overflow(struct packer *p, struct pack_item *item)
{
  if (!item->fixed && !find_offset_without_overflow(p, item))
    return false;
  if (!item->size)
    return true;
  struct high_water_bytes bytes = {item->offset, item->offset + item->size, p->size, p->align};
  high_water_raise_unless_gap_fits(&p->taken, item->shares ? item->live : &p->all_positions,
                                   item->shares ? item->live_count : 1, &bytes);
  return insert_item_into_slots(p, item);
}

/* Places the items in the given order, each as low as possible. */
static bool place_items_in_order(struct packer *p, int (*compare)(const void *, const void *), uint64_t *end)
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
    if (!place_item_without_overflow(p, item))
      return false;
    *end = item->offset + item->size > *end ? item->offset + item->size : *end;
  }
  return true;
}

typedef int order_of(const void *, const void *);

/* Keeps these offsets if they need no more bytes than the best so far. */
static bool place_items_and_keep_best_order(struct packer *p, order_of *order, uint64_t *offsets, uint64_t *end,
                                            order_of **best_order)
{
  uint64_t needed;
  if (!place_items_in_order(p, order, &needed))
    return false;
  if (needed > *end)
    return true;
  *end = needed;
  *best_order = order;
  for (uint32_t i = 0; i < p->count; i++)
    offsets[i] = p->items[i].offset;
  return true;
}

/* By alignment leaves the fewest gaps if all items conflict; by size may be better if some share bytes. Keeps the
   better result, and common offsets for kinds if they cost nothing. */
static bool choose_best_packing_order(struct packer *p, bool shared, bool kinds, uint64_t *end)
{
  uint64_t *offsets = CORO_NEW_ARRAY(p->arena, uint64_t, p->count);
  order_of *best_order = NULL;
  *end = UINT64_MAX;
  if (!offsets || (shared && !place_items_and_keep_best_order(p, compare_items_by_size, offsets, end, &best_order)) ||
      !place_items_and_keep_best_order(p, compare_items_by_alignment, offsets, end, &best_order))
    return false;
  p->together = true;
  if (shared && kinds && !place_items_and_keep_best_order(p, best_order, offsets, end, &best_order))
    return false;
  for (uint32_t i = 0; i < p->count; i++)
    p->items[i].offset = offsets[i];
  return true;
}

bool pack_items_into_frame(struct coro_arena *arena, struct pack_item *items, uint32_t count, uint64_t start,
                           uint64_t *end, uint64_t *align)
{
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct packer p = {.arena = arena, .items = items, .count = count, .start = start, .all_positions = {0, 1}};
  bool shared = false, kinds = false;
  *align = 1;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t last = items[i].live_count ? items[i].live[items[i].live_count - 1].end : 0;
    *align = items[i].align > *align ? items[i].align : *align;
    shared |= items[i].shares;
    kinds |= items[i].kind != 0;
    p.all_positions.end = items[i].shares && last > p.all_positions.end ? last : p.all_positions.end;
  }
  if (!high_water_init(&p.taken, arena, p.all_positions.end) || !choose_best_packing_order(&p, shared, kinds, end))
    return false;
  coro_arena_rewind(arena, scratch);
  return true;
}
