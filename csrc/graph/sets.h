/* Persistent sets of small integers with structural sharing (hash-consing): equal sets have equal ids. An operation
   costs the difference between its operands times the logarithm of the universe.
   Requires: base. Guarantees: memory in the arena. If the arena failed, results are unspecified. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

typedef uint32_t graph_set;
enum { SETS_EMPTY = 0 };

struct sets {
  struct coro_arena *arena;
  uint32_t depth;           /* trie depth; leaves are words of 64 elements */
  CORO_VEC(uint64_t) nodes; /* a leaf's word, or child ids: low half in the low bits */
  struct coro_map leaves, pairs;
  struct coro_map known[3]; /* memoized results by operation */
};

bool sets_init(struct sets *sets, struct coro_arena *arena,
               uint32_t universe); /* elements are below `universe`; false: out of memory */
graph_set sets_union(struct sets *sets, graph_set a, graph_set b);
graph_set sets_intersection(struct sets *sets, graph_set a, graph_set b);
graph_set sets_subtract(struct sets *sets, graph_set a, graph_set b);
graph_set sets_add_element(struct sets *sets, graph_set a, uint32_t element);
graph_set sets_remove_element(struct sets *sets, graph_set a, uint32_t element);

/* Calls visit for each element of the symmetric difference in ascending order until it returns false. */
typedef bool sets_visit(void *user, uint32_t element, bool in_b);
bool sets_visit_symmetric_difference(const struct sets *sets, graph_set a, graph_set b, sets_visit *visit, void *user);
