/* Iterated dominance frontiers by Sreedhar and Gao: one walk over the dominator tree, deepest definitions first.
   Needs: a dominator tree. Leaves: the frontier's bits set; a node is walked and an edge looked at once at most. */
#include "base/vec.h"
#include "graph/graph.h"

/* A heap of nodes by descending level. A node may be in it twice: the second time finds it walked. */
struct bank {
  CORO_VEC(uint32_t) heap;
  const uint32_t *level;
};

static bool bank_put(struct bank *bank, struct coro_arena *arena, uint32_t node)
{
  if (!coro_vec_push(arena, &bank->heap, node))
    return false;
  uint32_t *heap = bank->heap.items, i = bank->heap.count - 1;
  for (; i && bank->level[heap[(i - 1) / 2]] < bank->level[node]; i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = node;
  return true;
}

static uint32_t bank_take(struct bank *bank)
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
  struct coro_bits *frontier, walked;
  struct bank bank;
};

/* The edges out of a node of root's subtree that go no deeper than root lead into the frontier. */
static bool leave(struct search *s, struct coro_arena *arena, uint32_t node, uint32_t root)
{
  for (uint32_t i = s->g->succ_start[node]; i < s->g->succ_start[node + 1]; i++) {
    uint32_t to = s->g->succ[i];
    if (s->dom->level[to] > s->dom->level[root] || coro_bits_get(s->frontier, to))
      continue;
    coro_bits_set(s->frontier, to);
    if (!bank_put(&s->bank, arena, to))
      return false;
  }
  return true;
}

bool graph_idf(struct coro_bits *frontier, struct coro_arena *arena, const struct graph *g, const struct graph_dom *dom,
               const uint32_t *defs, uint32_t def_count)
{
  struct search s = {.g = g, .dom = dom, .frontier = frontier, .bank.level = dom->level};
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  if (!coro_bits_init(&s.walked, arena, g->node_count))
    return false;
  for (uint32_t i = 0; i < def_count; i++)
    if (dom->idom[defs[i]] != GRAPH_NONE && !bank_put(&s.bank, arena, defs[i]))
      return false;
  while (s.bank.heap.count) {
    uint32_t root = bank_take(&s.bank);
    /* A subtree is a run of `order`; one that was walked for a deeper root is stepped over as a whole. */
    for (uint32_t at = dom->in[root]; at <= dom->out[root];) {
      uint32_t node = dom->order[at];
      if (coro_bits_get(&s.walked, node)) {
        at = dom->out[node] + 1;
        continue;
      }
      coro_bits_set(&s.walked, node);
      if (!leave(&s, arena, node, root))
        return false;
      at++;
    }
  }
  coro_arena_rewind(arena, scratch);
  return true;
}
