/* Dominator tree by Lengauer and Tarjan ("A fast algorithm for finding dominators", 1979), the version with path
   compression only: O(edges log nodes).
   Requires: a reverse post-order. Guarantees: a numbered dominator tree. Not recursive. */
#include "graph/graph.h"

/* All arrays except dfn are indexed by depth-first number. */
struct lengauer_tarjan {
  uint32_t *dfn;  /* number by node; GRAPH_NONE: unreachable */
  uint32_t *node; /* node by number */
  uint32_t *parent, *semi, *idom;
  uint32_t *ancestor, *label; /* the link-eval forest; GRAPH_NONE marks a root */
  uint32_t *bucket, *next;    /* linked lists of the numbers with the same semidominator */
  uint32_t *stack;
  uint32_t count;
};

static bool allocate_arrays(struct lengauer_tarjan *w, struct coro_arena *arena, uint32_t nodes, uint32_t reachable)
{
  uint32_t **arrays[] = {&w->node,  &w->parent, &w->semi, &w->idom, &w->ancestor,
                         &w->label, &w->bucket, &w->next, &w->stack};
  w->dfn = CORO_NEW_ARRAY(arena, uint32_t, nodes);
  bool all = w->dfn != NULL;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = CORO_NEW_ARRAY(arena, uint32_t, reachable);
    all = all && *arrays[i];
  }
  return all;
}

static void assign_depth_first_number(struct lengauer_tarjan *w, uint32_t node, uint32_t parent)
{
  uint32_t v = w->count++;
  w->dfn[node] = v;
  w->node[v] = node;
  w->parent[v] = parent;
  w->semi[v] = w->label[v] = v;
  w->ancestor[v] = w->bucket[v] = w->next[v] = GRAPH_NONE;
}

/* Numbers the nodes. Until it returns, `idom` holds the next edge to follow. */
static void number_nodes_depth_first(struct lengauer_tarjan *w, const struct graph *g, uint32_t entry)
{
  for (uint32_t n = 0; n < g->node_count; n++)
    w->dfn[n] = GRAPH_NONE;
  uint32_t *edge = w->idom, depth = 0;
  w->count = 0;
  assign_depth_first_number(w, entry, 0);
  edge[0] = g->succ_start[entry];
  w->stack[depth++] = 0;
  while (depth) {
    uint32_t v = w->stack[depth - 1];
    if (edge[v] == g->succ_start[w->node[v] + 1]) {
      depth--;
      continue;
    }
    uint32_t to = g->succ[edge[v]++];
    if (w->dfn[to] != GRAPH_NONE)
      continue;
    edge[w->count] = g->succ_start[to];
    w->stack[depth++] = w->count;
    assign_depth_first_number(w, to, v);
  }
}

/* EVAL: the number with the smallest semidominator on the path from v up to its tree root, exclusive. */
static uint32_t find_minimum_semidominator(struct lengauer_tarjan *w, uint32_t v)
{
  if (w->ancestor[v] == GRAPH_NONE)
    return v;
  uint32_t depth = 0, x = v;
  for (; w->ancestor[w->ancestor[x]] != GRAPH_NONE; x = w->ancestor[x])
    w->stack[depth++] = x;
  while (depth) {
    x = w->stack[--depth];
    uint32_t up = w->ancestor[x];
    if (w->semi[w->label[up]] < w->semi[w->label[x]])
      w->label[x] = w->label[up];
    w->ancestor[x] = w->ancestor[up];
  }
  return w->label[v];
}

static void compute_immediate_dominators(struct lengauer_tarjan *w, const struct graph *g)
{
  for (uint32_t v = w->count - 1; v > 0; v--) {
    uint32_t node = w->node[v];
    for (uint32_t i = g->pred_start[node]; i < g->pred_start[node + 1]; i++) {
      uint32_t from = w->dfn[g->pred[i]];
      if (from == GRAPH_NONE)
        continue;
      uint32_t semi = w->semi[find_minimum_semidominator(w, from)];
      if (semi < w->semi[v])
        w->semi[v] = semi;
    }
    w->next[v] = w->bucket[w->semi[v]];
    w->bucket[w->semi[v]] = v;
    uint32_t parent = w->ancestor[v] = w->parent[v];
    for (uint32_t x = w->bucket[parent]; x != GRAPH_NONE; x = w->next[x]) {
      uint32_t least = find_minimum_semidominator(w, x);
      w->idom[x] = w->semi[least] < w->semi[x] ? least : parent;
    }
    w->bucket[parent] = GRAPH_NONE;
  }
  w->idom[0] = 0;
  for (uint32_t v = 1; v < w->count; v++)
    if (w->idom[v] != w->semi[v])
      w->idom[v] = w->idom[w->idom[v]];
}

/* Assigns depth-first intervals without a traversal: a dominator's number is smaller than those it dominates.
   Subtree sizes are summed in descending order, positions assigned in ascending order. `bucket` and `next` are
   reused. */
static void assign_dominator_tree_intervals(struct graph_dom *dom, struct lengauer_tarjan *w)
{
  uint32_t *size = w->bucket, *place = w->next;
  for (uint32_t v = 0; v < w->count; v++)
    size[v] = 1;
  for (uint32_t v = w->count - 1; v > 0; v--)
    size[w->idom[v]] += size[v];
  for (uint32_t v = 0; v < w->count; v++) {
    uint32_t up = w->idom[v], node = w->node[v], position = v ? place[up] : 0;
    dom->idom[node] = w->node[up];
    dom->level[node] = v ? dom->level[w->node[up]] + 1 : 0;
    dom->in[node] = position;
    dom->out[node] = position + size[v] - 1;
    dom->order[position] = node;
    place[v] = position + 1;
    if (v)
      place[up] += size[v];
  }
}

bool graph_compute_dominators(struct graph_dom *dom, struct coro_arena *arena, const struct graph *g,
                              const struct graph_rpo *rpo)
{
  struct lengauer_tarjan w;
  dom->idom = CORO_NEW_ARRAY(arena, uint32_t, g->node_count);
  dom->in = CORO_NEW_ARRAY(arena, uint32_t, g->node_count);
  dom->out = CORO_NEW_ARRAY(arena, uint32_t, g->node_count);
  dom->level = CORO_NEW_ARRAY(arena, uint32_t, g->node_count);
  dom->order = CORO_NEW_ARRAY(arena, uint32_t, rpo->count);
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  if (!dom->idom || !dom->in || !dom->out || !dom->level || !dom->order ||
      !allocate_arrays(&w, arena, g->node_count, rpo->count))
    return false;
  for (uint32_t n = 0; n < g->node_count; n++)
    dom->idom[n] = GRAPH_NONE;
  number_nodes_depth_first(&w, g, rpo->order[0]);
  compute_immediate_dominators(&w, g);
  assign_dominator_tree_intervals(dom, &w);
  coro_arena_rewind(arena, scratch);
  return true;
}
