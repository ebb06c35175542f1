/* Sets of small integers that share what they have in common. Equal sets are the same number, so that asking for
   equality is a comparison; an operation costs what differs between its operands, times the logarithm of the universe.
   Needs: base. Leaves: memory in the arena, which knows whether some ran out: a set is then whatever it is. */
#ifndef CORO_GRAPH_SETS_H
#define CORO_GRAPH_SETS_H

#include "base/map.h"
#include "base/vec.h"

typedef uint32_t graph_set;
enum { SETS_EMPTY = 0 };

struct sets {
  struct coro_arena *arena;
  uint32_t depth;           /* of the trees; leaves are words of 64 elements */
  CORO_VEC(uint64_t) nodes; /* of a leaf its word, else its halves: the low one in the low bits */
  struct coro_map leaves, pairs;
  struct coro_map known[3]; /* by operation: what it gave */
};

bool sets_init(struct sets *sets, struct coro_arena *arena,
               uint32_t universe); /* elements are below; false: no memory */
graph_set sets_union(struct sets *sets, graph_set a, graph_set b);
graph_set sets_both(struct sets *sets, graph_set a, graph_set b);
graph_set sets_minus(struct sets *sets, graph_set a, graph_set b);
graph_set sets_with(struct sets *sets, graph_set a, uint32_t element);
graph_set sets_without(struct sets *sets, graph_set a, uint32_t element);

/* Calls visit for each element that is in one of them only, in order, until it returns false. */
typedef bool sets_visit(void *user, uint32_t element, bool in_b);
bool sets_difference(const struct sets *sets, graph_set a, graph_set b, sets_visit *visit, void *user);

#endif
