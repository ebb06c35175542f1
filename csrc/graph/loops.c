/* Natural loops: for each header, a backward search from its back edges that stops at the header. Inner loops are found
   first and traversed as a unit (union-find with path halving). Near-linear.
   Requires: dominators. Guarantees: each loop follows its parent. Not recursive. */
#include "graph/graph.h"

struct loop_search {
  const struct graph *g;
  const struct graph_dom *dom;
  struct graph_loops *loops; /* numbered from innermost to outermost during the search */
  uint32_t *top; /* by loop: union-find parent towards the outermost loop found so far */
  uint32_t *stack; /* worklist of nodes without duplicates */
};

/* The outermost loop found so far that contains this loop. */
static uint32_t find_outermost_known_loop(uint32_t *top, uint32_t loop)
{
  while (top[loop] != loop)
    loop = top[loop] = top[top[loop]];
  return loop;
}

/* Adds a node, or the loop that contains it, to the loop and pushes its representative. */
static void add_node_to_loop(struct loop_search *f, uint32_t loop, uint32_t node, uint32_t *count)
{
  uint32_t *in = &f->loops->loop[node];
  if (f->dom->idom[node] == GRAPH_NONE)
    return;
  if (*in == GRAPH_NONE) {
    *in = loop;
    f->stack[(*count)++] = node;
    return;
  }
  uint32_t inner = find_outermost_known_loop(f->top, *in);
  if (inner == loop)
    return;
  f->top[inner] = f->loops->parent[inner] = loop;
  f->stack[(*count)++] = f->loops->header[inner];
}

/* Adds the predecessors of the nodes on the worklist, up to the header. */
static void add_predecessors_to_loop(struct loop_search *f, uint32_t loop, uint32_t count)
{
  while (count) {
    uint32_t node = f->stack[--count];
    for (uint32_t i = f->g->pred_start[node]; node != f->loops->header[loop] && i < f->g->pred_start[node + 1]; i++)
      add_node_to_loop(f, loop, f->g->pred[i], &count);
  }
}

static void add_loop_if_header(struct loop_search *f, uint32_t header)
{
  struct graph_loops *loops = f->loops;
  bool back = false;
  for (uint32_t i = f->g->pred_start[header]; i < f->g->pred_start[header + 1]; i++)
    back = back || graph_dominates(f->dom, header, f->g->pred[i]);
  if (!back)
    return;
  uint32_t loop = loops->count++, count = 0;
  loops->header[loop] = header;
  loops->parent[loop] = GRAPH_NONE;
  f->top[loop] = loop;
  loops->loop[header] = loop;
  for (uint32_t i = f->g->pred_start[header]; i < f->g->pred_start[header + 1]; i++)
    if (graph_dominates(f->dom, header, f->g->pred[i]))
      add_node_to_loop(f, loop, f->g->pred[i], &count);
  add_predecessors_to_loop(f, loop, count);
}

/* Reverses the numbering so that a loop follows its parent. */
static void reverse_loop_numbering(struct graph_loops *loops, uint32_t node_count)
{
  uint32_t last = loops->count - 1;
  for (uint32_t n = 0; n < node_count; n++)
    if (loops->loop[n] != GRAPH_NONE)
      loops->loop[n] = last - loops->loop[n];
  for (uint32_t l = 0; l < loops->count; l++)
    if (loops->parent[l] != GRAPH_NONE)
      loops->parent[l] = last - loops->parent[l];
  for (uint32_t l = 0; l < loops->count / 2; l++) {
    uint32_t header = loops->header[l], parent = loops->parent[l];
    loops->header[l] = loops->header[last - l];
    loops->parent[l] = loops->parent[last - l];
    loops->header[last - l] = header;
    loops->parent[last - l] = parent;
  }
}

bool graph_find_natural_loops(struct graph_loops *loops, struct coro_arena *arena, const struct graph *g,
                              const struct graph_dom *dom)
{
  uint32_t n = g->node_count;
  loops->count = 0;
  loops->loop = CORO_NEW_ARRAY(arena, uint32_t, n);
  loops->header = CORO_NEW_ARRAY(arena, uint32_t, n);
  loops->parent = CORO_NEW_ARRAY(arena, uint32_t, n);
  struct loop_search f = {g, dom, loops, CORO_NEW_ARRAY(arena, uint32_t, n), CORO_NEW_ARRAY(arena, uint32_t, n + 1)};
  if (!loops->loop || !loops->header || !loops->parent || !f.top || !f.stack)
    return false;
  uint32_t reachable = 0;
  for (uint32_t i = 0; i < n; i++) {
    loops->loop[i] = GRAPH_NONE;
    reachable += dom->idom[i] != GRAPH_NONE;
  }
  for (uint32_t i = reachable; i-- > 0;) /* in reverse dominator order: inner loops before outer ones */
    add_loop_if_header(&f, dom->order[i]);
  if (loops->count)
    reverse_loop_numbering(loops, n);
  return true;
}
