/* Iterated dominance frontiers by Sreedhar and Gao ("A linear time algorithm for placing phi-nodes", 1995), with a heap
   in place of level lists. Visits each node and edge at most once.
   Requires: a dominator tree. Guarantees: the frontier's bits are set. */
#include "base/vec.h"
#include "graph/graph.h"

/* Max-heap of nodes by level, called piggybank in the paper. A node may be in it twice; it is skipped the second
   time, because it is then marked as visited. */
struct bank {
  CORO_VEC(uint32_t) heap;
  const uint32_t *level;
};

static bool push_node_by_depth(struct bank *bank, struct coro_arena *arena, uint32_t node)
{
  if (!coro_vec_push(arena, &bank->heap, node))
    return false;
  uint32_t *heap = bank->heap.items, i = bank->heap.count - 1;
  for (; i && bank->level[heap[(i - 1) / 2]] < bank->level[node]; i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = node;
  return true;
}

static uint32_t pop_deepest_node(struct bank *bank)
{
  uint32_t *heap = bank->heap.items, count = --bank->heap.count;
  uint32_t top = heap[0], last = heap[count], i = 0, child;
  for (; (child = 2 * i + 1) < count; i = child) {
    if (child + 1 < count && bank->level[heap[child + 1]] > bank->level[heap[child]])
      child++;
    if (bank->level[heap[child]] <= bank->level[last])
      break;
    heap[i] = heap[child];
  }
  heap[i] = last;
  return top;
}

struct search {
  const struct graph *g;
  const struct graph_dom *dom;
  struct coro_bits *frontier, visited;
  struct bank bank;
};

/* Adds the targets of edges from `node` that leave root's subtree (J-edges to a level not deeper than root). */
static bool add_dominance_frontier_nodes(struct search *s, struct coro_arena *arena, uint32_t node, uint32_t root)
{
  for (uint32_t i = s->g->succ_start[node]; i < s->g->succ_start[node + 1]; i++) {
    uint32_t to = s->g->succ[i];
    if (s->dom->level[to] > s->dom->level[root] || coro_bits_get(s->frontier, to))
      continue;
    coro_bits_set(s->frontier, to);
    if (!push_node_by_depth(&s->bank, arena, to))
      return false;
  }
  return true;
}

bool graph_iterated_dominance_frontier(struct coro_bits *frontier, struct coro_arena *arena, const struct graph *g,
                                       const struct graph_dom *dom, const uint32_t *defs, uint32_t def_count)
{
  struct search s = {.g = g, .dom = dom, .frontier = frontier, .bank.level = dom->level};
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  if (!coro_bits_init(&s.visited, arena, g->node_count))
    return false;
  for (uint32_t i = 0; i < def_count; i++)
    if (dom->idom[defs[i]] != GRAPH_NONE && !push_node_by_depth(&s.bank, arena, defs[i]))
      return false;
  while (s.bank.heap.count) {
    uint32_t root = pop_deepest_node(&s.bank);
    /* A subtree is contiguous in `order`; one visited from a deeper root is skipped as a whole. */
    for (uint32_t at = dom->in[root]; at <= dom->out[root];) {
      uint32_t node = dom->order[at];
      if (coro_bits_get(&s.visited, node)) {
        at = dom->out[node] + 1;
        continue;
      }
      coro_bits_set(&s.visited, node);
      if (!add_dominance_frontier_nodes(&s, arena, node, root))
        return false;
      at++;
    }
  }
  coro_arena_rewind(arena, scratch);
  return true;
}
