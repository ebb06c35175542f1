/* Taken: how far the bytes from the start on are all taken, at each of many places.
   Needs: base. Leaves: a tree over the places, whose nodes know the least and the most of what is below them. */
#include "graph/taken.h"

#include "base/align.h"

struct taken_node {
  uint64_t least, most; /* where they are equal, so is all below, whatever it says itself */
};

struct telling {
  struct taken_node *nodes;
  struct pack_range range;
  const struct taken_bytes *bytes;
};

bool taken_init(struct taken *taken, struct coro_arena *arena, uint32_t places)
{
  taken->places = places ? places : 1;
  taken->nodes = CORO_NEW_ARRAY(arena, struct taken_node, 4 * (size_t)taken->places);
  return taken->nodes != NULL;
}

void taken_reset(struct taken *taken, uint64_t start)
{
  taken->nodes[0] = (struct taken_node){start, start};
}

static uint64_t most(const struct taken_node *nodes, uint32_t node, uint32_t first, uint32_t end,
                     struct pack_range range)
{
  if (nodes[node].least == nodes[node].most || (range.first <= first && end <= range.end))
    return nodes[node].most;
  uint32_t middle = first + (end - first) / 2;
  uint64_t left = range.first < middle ? most(nodes, 2 * node + 1, first, middle, range) : 0;
  uint64_t right = range.end > middle ? most(nodes, 2 * node + 2, middle, end, range) : 0;
  return left > right ? left : right;
}

uint64_t taken_most(const struct taken *taken, const struct pack_range *ranges, uint32_t count, uint64_t start)
{
  for (uint32_t r = 0; r < count; r++) {
    uint64_t found = most(taken->nodes, 0, 0, taken->places, ranges[r]);
    start = found > start ? found : start;
  }
  return start;
}

/* Whether an item would have room between the bytes that are taken so far and those that are now. */
static bool has_room(const struct telling *t, uint64_t so_far)
{
  uint64_t at = coro_align_to(so_far, t->bytes->align);
  return at < t->bytes->offset && t->bytes->offset - at >= t->bytes->size;
}

static void tell(const struct telling *t, uint32_t node, uint32_t first, uint32_t end)
{
  struct taken_node *self = &t->nodes[node], *left = &t->nodes[2 * node + 1], *right = left + 1;
  if (t->range.end <= first || end <= t->range.first || has_room(t, self->most))
    return;
  if (t->range.first <= first && end <= t->range.end && !has_room(t, self->least)) {
    self->least = self->most = t->bytes->end;
    return;
  }
  if (self->least == self->most)
    *left = *right = *self;
  uint32_t middle = first + (end - first) / 2;
  tell(t, 2 * node + 1, first, middle);
  tell(t, 2 * node + 2, middle, end);
  self->least = left->least < right->least ? left->least : right->least;
  self->most = left->most > right->most ? left->most : right->most;
}

void taken_tell(struct taken *taken, const struct pack_range *ranges, uint32_t count, const struct taken_bytes *bytes)
{
  for (uint32_t r = 0; r < count; r++) {
    struct telling telling = {taken->nodes, ranges[r], bytes};
    tell(&telling, 0, 0, taken->places);
  }
}
