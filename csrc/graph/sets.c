/* Hash-consed bit sets: binary tries over 64-bit words, in which each distinct subtree exists once. Operations are
   memoized. */
#include "graph/sets.h"

enum operation { UNION, INTERSECTION, DIFFERENCE };

bool sets_init(struct sets *sets, struct coro_arena *arena, uint32_t universe)
{
  *sets = (struct sets){.arena = arena};
  coro_map_init(&sets->leaves, arena);
  coro_map_init(&sets->pairs, arena);
  for (int o = UNION; o <= DIFFERENCE; o++)
    coro_map_init(&sets->known[o], arena);
  for (uint64_t reach = 64; reach < universe; reach *= 2)
    sets->depth++;
  return coro_vec_push(arena, &sets->nodes, 0);
}

static graph_set intern_set_node(struct sets *sets, struct coro_map *map, uint64_t content)
{
  uint64_t known = SETS_EMPTY;
  if (!content || coro_map_get(map, content, &known))
    return (graph_set)known;
  known = sets->nodes.count;
  return coro_vec_push(sets->arena, &sets->nodes, content) && coro_map_put(map, content, known) ? (graph_set)known
                                                                                                : SETS_EMPTY;
}

static graph_set make_set_leaf(struct sets *sets, uint64_t word)
{
  return intern_set_node(sets, &sets->leaves, word);
}

static graph_set make_set_of_halves(struct sets *sets, graph_set low, graph_set high)
{
  return intern_set_node(sets, &sets->pairs, (uint64_t)high << 32 | low);
}

static graph_set low_half_of_set(const struct sets *sets, graph_set set)
{
  return (graph_set)sets->nodes.items[set];
}

static graph_set high_half_of_set(const struct sets *sets, graph_set set)
{
  return (graph_set)(sets->nodes.items[set] >> 32);
}

static uint64_t combine_words(enum operation operation, uint64_t a, uint64_t b)
{
  return operation == UNION ? a | b : operation == INTERSECTION ? a & b : a & ~b;
}

static graph_set combine_sets(struct sets *sets, enum operation operation, graph_set a, graph_set b, uint32_t depth)
{
  uint64_t known;
  if (a == b)
    return operation == DIFFERENCE ? SETS_EMPTY : a;
  if (!a || !b)
    return operation == UNION ? a | b : operation == DIFFERENCE ? a : SETS_EMPTY;
  if (!depth)
    return make_set_leaf(sets, combine_words(operation, sets->nodes.items[a], sets->nodes.items[b]));
  if (coro_map_get(&sets->known[operation], coro_map_pair(a, b), &known))
    return (graph_set)known;
  graph_set made = make_set_of_halves(
      sets, combine_sets(sets, operation, low_half_of_set(sets, a), low_half_of_set(sets, b), depth - 1),
      combine_sets(sets, operation, high_half_of_set(sets, a), high_half_of_set(sets, b), depth - 1));
  coro_map_put(&sets->known[operation], coro_map_pair(a, b), made);
  return made;
}

graph_set sets_union(struct sets *sets, graph_set a, graph_set b)
{
  return combine_sets(sets, UNION, a, b, sets->depth);
}

graph_set sets_intersection(struct sets *sets, graph_set a, graph_set b)
{
  return combine_sets(sets, INTERSECTION, a, b, sets->depth);
}

graph_set sets_subtract(struct sets *sets, graph_set a, graph_set b)
{
  return combine_sets(sets, DIFFERENCE, a, b, sets->depth);
}

/* Sets or clears the element's bit. */
static graph_set set_or_clear_element(struct sets *sets, graph_set a, uint32_t element, bool in, uint32_t depth)
{
  uint64_t bit = UINT64_C(1) << element % 64, word = sets->nodes.items[a]; /* 0 for the empty set */
  if (!depth)
    return make_set_leaf(sets, in ? word | bit : word & ~bit);
  bool upper = (element / 64) >> (depth - 1) & 1;
  graph_set l = low_half_of_set(sets, a), h = high_half_of_set(sets, a);
  graph_set changed = set_or_clear_element(sets, upper ? h : l, element, in, depth - 1);
  return make_set_of_halves(sets, upper ? l : changed, upper ? changed : h);
}

graph_set sets_add_element(struct sets *sets, graph_set a, uint32_t element)
{
  return set_or_clear_element(sets, a, element, true, sets->depth);
}

graph_set sets_remove_element(struct sets *sets, graph_set a, uint32_t element)
{
  return set_or_clear_element(sets, a, element, false, sets->depth);
}

struct walk {
  const struct sets *sets;
  sets_visit *visit;
  void *user;
};

static bool visit_symmetric_difference_of_halves(const struct walk *walk, graph_set a, graph_set b, uint32_t first,
                                                 uint32_t depth)
{
  const struct sets *sets = walk->sets;
  if (a == b)
    return true;
  if (depth) {
    uint32_t middle = first + (64u << (depth - 1));
    return visit_symmetric_difference_of_halves(walk, low_half_of_set(sets, a), low_half_of_set(sets, b), first,
                                                depth - 1) &&
           visit_symmetric_difference_of_halves(walk, high_half_of_set(sets, a), high_half_of_set(sets, b), middle,
                                                depth - 1);
  }
  uint64_t in_b = sets->nodes.items[b];
  for (uint64_t rest = sets->nodes.items[a] ^ in_b; rest; rest &= rest - 1) {
    uint32_t bit = (uint32_t)__builtin_ctzll(rest);
    if (!walk->visit(walk->user, first + bit, in_b >> bit & 1))
      return false;
  }
  return true;
}

bool sets_visit_symmetric_difference(const struct sets *sets, graph_set a, graph_set b, sets_visit *visit, void *user)
{
  struct walk walk = {sets, visit, user};
  return visit_symmetric_difference_of_halves(&walk, a, b, 0, sets->depth);
}
