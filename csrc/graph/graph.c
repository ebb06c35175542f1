/* Builds graphs in compressed sparse row form, and groups numbers the same way. Finds the reverse post-order by
   depth-first search, and reachable nodes by breadth-first search.
   Guarantees: edges keep their input order, including duplicates and self loops. */
#include "graph/graph.h"

#include "graph/worklist.h"

/* Counting sort of the edges by source, or by target if `backwards`: place[i] becomes the position of edge i. */
static void sort_edges_by_node(const struct graph *g, const struct graph_edge *edges, bool backwards,
                               uint32_t *position_of_edge)
{
  uint32_t *start = backwards ? g->pred_start : g->succ_start;
  /* Shifted by one: start[n + 1] is the insertion position for n and ends as the start of n + 1. */
  for (uint32_t i = 0; i < g->edge_count; i++)
    start[(size_t)(backwards ? edges[i].to : edges[i].from) + 2]++;
  for (size_t n = 2; n < (size_t)g->node_count + 2; n++)
    start[n] += start[n - 1];
  for (uint32_t i = 0; i < g->edge_count; i++)
    position_of_edge[i] = start[(size_t)(backwards ? edges[i].to : edges[i].from) + 1]++;
}

bool graph_group_by_key(struct graph_groups *groups, struct coro_arena *arena, const uint32_t *keys, uint32_t count,
                        uint32_t key_count)
{
  groups->start = CORO_NEW_ARRAY(arena, uint32_t, (size_t)key_count + 2);
  groups->items = CORO_NEW_ARRAY(arena, uint32_t, count);
  if (!groups->start || !groups->items)
    return false;
  /* Shifted by one: start[k + 1] is the insertion position for k and ends as the start of k + 1. */
  for (uint32_t i = 0; i < count; i++)
    groups->start[(size_t)keys[i] + 2]++;
  for (size_t k = 2; k < (size_t)key_count + 2; k++)
    groups->start[k] += groups->start[k - 1];
  for (uint32_t i = 0; i < count; i++)
    groups->items[groups->start[(size_t)keys[i] + 1]++] = i;
  return true;
}

bool graph_build(struct graph *g, struct coro_arena *arena, uint32_t node_count, const struct graph_edge *edges,
                 uint32_t edge_count)
{
  *g = (struct graph){.node_count = node_count, .edge_count = edge_count};
  g->succ_start = CORO_NEW_ARRAY(arena, uint32_t, (size_t)node_count + 2);
  g->pred_start = CORO_NEW_ARRAY(arena, uint32_t, (size_t)node_count + 2);
  g->succ = CORO_NEW_ARRAY(arena, uint32_t, edge_count);
  g->pred = CORO_NEW_ARRAY(arena, uint32_t, edge_count);
  g->pred_edge = CORO_NEW_ARRAY(arena, uint32_t, edge_count);
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  uint32_t *by_source = CORO_NEW_ARRAY(arena, uint32_t, edge_count);
  uint32_t *by_target = CORO_NEW_ARRAY(arena, uint32_t, edge_count);
  if (coro_arena_failed(arena))
    return false;
  sort_edges_by_node(g, edges, false, by_source);
  sort_edges_by_node(g, edges, true, by_target);
  for (uint32_t i = 0; i < edge_count; i++) {
    g->succ[by_source[i]] = edges[i].to;
    g->pred[by_target[i]] = edges[i].from;
    g->pred_edge[by_target[i]] = by_source[i];
  }
  coro_arena_rewind(arena, scratch);
  return true;
}

bool graph_build_from_successors(struct graph *g, struct coro_arena *arena, uint32_t node_count, uint32_t *succ_start,
                                 uint32_t *succ)
{
  struct graph_groups by_target;
  *g = (struct graph){node_count, succ_start[node_count], succ_start, succ, NULL, NULL, NULL};
  g->pred = coro_arena_alloc(arena, g->edge_count * sizeof *g->pred);
  if (!g->pred || !graph_group_by_key(&by_target, arena, succ, g->edge_count, node_count))
    return false;
  g->pred_start = by_target.start;
  g->pred_edge = by_target.items;
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  uint32_t *source = coro_arena_alloc(arena, g->edge_count * sizeof *source);
  for (uint32_t n = 0; source && n < node_count; n++)
    for (uint32_t i = succ_start[n]; i < succ_start[n + 1]; i++)
      source[i] = n;
  for (uint32_t i = 0; source && i < g->edge_count; i++)
    g->pred[i] = source[g->pred_edge[i]];
  coro_arena_rewind(arena, scratch);
  return source;
}

bool graph_compute_reverse_postorder(struct graph_rpo *rpo, struct coro_arena *arena, const struct graph *g,
                                     uint32_t entry)
{
  uint32_t *order = CORO_NEW_ARRAY(arena, uint32_t, g->node_count);
  uint32_t *number = CORO_NEW_ARRAY(arena, uint32_t, g->node_count);
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  uint32_t *stack = CORO_NEW_ARRAY(arena, uint32_t, g->node_count);
  uint32_t *next = CORO_NEW_ARRAY(arena, uint32_t, g->node_count); /* next edge to follow */
  if (!order || !number || !stack || !next)
    return false;
  for (uint32_t n = 0; n < g->node_count; n++)
    number[n] = GRAPH_NONE;
  uint32_t depth = 0, first = g->node_count; /* order is filled from its end */
  stack[depth++] = entry;
  number[entry] = 0;
  next[entry] = g->succ_start[entry];
  while (depth) {
    uint32_t n = stack[depth - 1];
    if (next[n] == g->succ_start[n + 1]) {
      order[--first] = n;
      depth--;
      continue;
    }
    uint32_t to = g->succ[next[n]++];
    if (number[to] != GRAPH_NONE)
      continue;
    number[to] = 0;
    next[to] = g->succ_start[to];
    stack[depth++] = to;
  }
  rpo->order = order + first;
  rpo->number = number;
  rpo->count = g->node_count - first;
  for (uint32_t i = 0; i < rpo->count; i++)
    number[rpo->order[i]] = i;
  coro_arena_rewind(arena, scratch);
  return true;
}

bool graph_mark_reachable_nodes(struct coro_bits *reached, struct coro_arena *arena, const struct graph *g,
                                const uint32_t *starts, uint32_t start_count, bool backwards)
{
  const uint32_t *start = backwards ? g->pred_start : g->succ_start;
  const uint32_t *item = backwards ? g->pred : g->succ;
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct worklist nodes;
  if (!worklist_init(&nodes, arena, g->node_count))
    return false;
  for (uint32_t i = 0; i < start_count; i++)
    worklist_enter(&nodes, starts[i]);
  for (uint32_t n; worklist_take(&nodes, &n);)
    for (uint32_t i = start[n]; i < start[n + 1]; i++)
      worklist_enter(&nodes, item[i]);
  coro_bits_union(reached, &nodes.entered);
  coro_arena_rewind(arena, scratch);
  return true;
}
