/* Strongly connected components by Tarjan's algorithm (1972), iterative. Linear.
   Requires: base. Guarantees: every node has a component; components are numbered in reverse topological order. */
#include "graph/graph.h"

struct tarjan {
  const struct graph *g;
  struct graph_scc *scc;
  uint32_t *index, *low, *next; /* by node; index 0: not visited; next: the edge to follow */
  uint32_t *path, *pending; /* stacks: the depth-first path, and nodes without a component */
  uint32_t path_count, open_count, seen;
};

static void start_scc_visit_of_node(struct tarjan *t, uint32_t node)
{
  t->index[node] = t->low[node] = ++t->seen;
  t->next[node] = t->g->succ_start[node];
  t->path[t->path_count++] = node;
  t->pending[t->open_count++] = node;
}

static void pop_component_from_stack(struct tarjan *t, uint32_t root)
{
  uint32_t c = t->scc->count++, size = 0, n;
  do {
    n = t->pending[--t->open_count];
    t->scc->component[n] = c;
    size++;
  } while (n != root);
  bool self = false;
  for (uint32_t i = t->g->succ_start[root]; i < t->g->succ_start[root + 1]; i++)
    self = self || t->g->succ[i] == root;
  t->scc->cyclic[c] = size > 1 || self;
}

static void find_components_depth_first(struct tarjan *t, uint32_t start)
{
  start_scc_visit_of_node(t, start);
  while (t->path_count) {
    uint32_t n = t->path[t->path_count - 1];
    if (t->next[n] < t->g->succ_start[n + 1]) {
      uint32_t to = t->g->succ[t->next[n]++];
      if (!t->index[to])
        start_scc_visit_of_node(t, to);
      else if (t->scc->component[to] == GRAPH_NONE && t->index[to] < t->low[n])
        t->low[n] = t->index[to];
      continue;
    }
    t->path_count--;
    if (t->low[n] == t->index[n])
      pop_component_from_stack(t, n);
    else if (t->low[n] < t->low[t->path[t->path_count - 1]])
      t->low[t->path[t->path_count - 1]] = t->low[n];
  }
}

bool graph_strongly_connected_components(struct graph_scc *scc, struct coro_arena *arena, const struct graph *g)
{
  struct tarjan t = {.g = g, .scc = scc};
  uint32_t **arrays[] = {&t.index, &t.low, &t.next, &t.path, &t.pending};
  scc->component = CORO_NEW_ARRAY(arena, uint32_t, g->node_count);
  scc->cyclic = CORO_NEW_ARRAY(arena, bool, g->node_count);
  if (!scc->component || !scc->cyclic)
    return false;
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = CORO_NEW_ARRAY(arena, uint32_t, g->node_count)))
      return false;
  scc->count = 0;
  for (uint32_t n = 0; n < g->node_count; n++)
    scc->component[n] = GRAPH_NONE;
  for (uint32_t n = 0; n < g->node_count; n++)
    if (!t.index[n])
      find_components_depth_first(&t, n);
  coro_arena_rewind(arena, scratch);
  return true;
}
