/* Segment tree of high-water marks (see high_water.h): each node has the minimum and maximum of its subtree. */
#include "graph/high_water.h"

#include "base/align.h"

struct high_water_node {
  uint64_t minimum, maximum; /* if equal, all positions below have this value */
};

struct update {
  struct high_water_node *nodes;
  struct pack_range range;
  const struct high_water_bytes *bytes;
};

bool high_water_init(struct high_water *taken, struct coro_arena *arena, uint32_t places)
{
  taken->places = places ? places : 1;
  taken->nodes = CORO_NEW_ARRAY(arena, struct high_water_node, 4 * (size_t)taken->places);
  return taken->nodes != NULL;
}

void high_water_reset(struct high_water *taken, uint64_t start)
{
  taken->nodes[0] = (struct high_water_node){start, start};
}

static uint64_t maximum_of_segment_tree_range(const struct high_water_node *nodes, uint32_t node, uint32_t first,
                                              uint32_t end, struct pack_range range)
{
  if (nodes[node].minimum == nodes[node].maximum || (range.first <= first && end <= range.end))
    return nodes[node].maximum;
  uint32_t middle = first + (end - first) / 2;
  uint64_t left = range.first < middle ? maximum_of_segment_tree_range(nodes, 2 * node + 1, first, middle, range) : 0;
  uint64_t right = range.end > middle ? maximum_of_segment_tree_range(nodes, 2 * node + 2, middle, end, range) : 0;
  return left > right ? left : right;
}

uint64_t high_water_maximum_in_ranges(const struct high_water *taken, const struct pack_range *ranges, uint32_t count,
                                      uint64_t start)
{
  for (uint32_t r = 0; r < count; r++) {
    uint64_t found = maximum_of_segment_tree_range(taken->nodes, 0, 0, taken->places, ranges[r]);
    start = found > start ? found : start;
  }
  return start;
}

/* True if an item fits between the current mark and the new bytes. */
static bool has_free_gap_below_item(const struct update *t, uint64_t mark)
{
  uint64_t at = coro_align_to(mark, t->bytes->align);
  return at < t->bytes->offset && t->bytes->offset - at >= t->bytes->size;
}

static void update_segment_tree_node(const struct update *t, uint32_t node, uint32_t first, uint32_t end)
{
  struct high_water_node *self = &t->nodes[node], *left = &t->nodes[2 * node + 1], *right = left + 1;
  if (t->range.end <= first || end <= t->range.first || has_free_gap_below_item(t, self->maximum))
    return;
  if (t->range.first <= first && end <= t->range.end && !has_free_gap_below_item(t, self->minimum)) {
    self->minimum = self->maximum = t->bytes->end;
    return;
  }
  if (self->minimum == self->maximum)
    *left = *right = *self;
  uint32_t middle = first + (end - first) / 2;
  update_segment_tree_node(t, 2 * node + 1, first, middle);
  update_segment_tree_node(t, 2 * node + 2, middle, end);
  self->minimum = left->minimum < right->minimum ? left->minimum : right->minimum;
  self->maximum = left->maximum > right->maximum ? left->maximum : right->maximum;
}

void high_water_raise_unless_gap_fits(struct high_water *taken, const struct pack_range *ranges, uint32_t count,
                                      const struct high_water_bytes *bytes)
{
  for (uint32_t r = 0; r < count; r++) {
    struct update update = {taken->nodes, ranges[r], bytes};
    update_segment_tree_node(&update, 0, 0, taken->places);
  }
}
