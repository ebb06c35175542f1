/* Dataflow analysis (see dataflow.h): sweeps over the nodes that a change may affect, in the order of the flow. */
#include "graph/dataflow.h"

/* Marks the nodes whose state depends on that of `node`, by their numbers in reverse post-order. */
static void enqueue_dependent_nodes(const struct dataflow *d, struct coro_bits *pending, uint32_t node)
{
  const uint32_t *start = d->backward ? d->graph->pred_start : d->graph->succ_start;
  const uint32_t *item = d->backward ? d->graph->pred : d->graph->succ;
  for (uint32_t i = start[node]; i < start[node + 1]; i++)
    if (d->rpo->number[item[i]] != GRAPH_NONE)
      coro_bits_set(pending, d->rpo->number[item[i]]);
}

bool dataflow_solve_by_worklist(const struct dataflow *d, struct coro_arena *arena)
{
  struct coro_bits pending; /* numbers in reverse post-order */
  if (!coro_bits_init(&pending, arena, d->rpo->count))
    return false;
  for (uint32_t i = 0; i < d->rpo->count; i++)
    coro_bits_set(&pending, i);
  for (bool changed = true; changed && !coro_arena_failed(arena);) {
    changed = false;
    for (uint32_t i = 0; i < d->rpo->count; i++) {
      uint32_t number = d->backward ? d->rpo->count - 1 - i : i;
      if (!coro_bits_get(&pending, number))
        continue;
      coro_bits_unset(&pending, number);
      if (!d->update(d->user, d->rpo->order[number]))
        continue;
      changed = true;
      enqueue_dependent_nodes(d, &pending, d->rpo->order[number]);
    }
  }
  return !coro_arena_failed(arena);
}

/* ---- Sets of facts ---- */

struct solver {
  const struct dataflow_facts *p;
  struct coro_bits *facts;
  struct coro_bits met, crossed; /* scratch: the facts before a node, and those after one edge */
};

/* The meet of the facts on all edges. */
static void meet_facts_of_edges(struct solver *s, uint32_t node)
{
  const struct dataflow_facts *p = s->p;
  const uint32_t *start = p->backward ? p->graph->succ_start : p->graph->pred_start;
  const uint32_t *item = p->backward ? p->graph->succ : p->graph->pred;
  bool first = true;
  coro_bits_clear(&s->met);
  if (p->must && !p->backward && node == p->rpo->order[0])
    return;
  for (uint32_t i = start[node]; i < start[node + 1]; i++) {
    if (p->rpo->number[item[i]] == GRAPH_NONE)
      continue;
    const struct coro_bits *after = &s->facts[item[i]];
    if (p->cross) {
      coro_bits_clear(&s->crossed);
      p->cross(p->user, p->backward ? node : item[i], p->backward ? i : p->graph->pred_edge[i], after, &s->crossed);
      after = &s->crossed;
    }
    if (first || !p->must)
      coro_bits_union(&s->met, after);
    else
      coro_bits_intersect(&s->met, after);
    first = false;
  }
}

static bool recompute_facts_of_node(void *user, uint32_t node)
{
  struct solver *s = user;
  meet_facts_of_edges(s, node);
  if (s->p->kill)
    coro_bits_subtract(&s->met, &s->p->kill[node]);
  if (s->p->gen)
    coro_bits_union(&s->met, &s->p->gen[node]);
  return coro_bits_assign_if_different(&s->facts[node], &s->met);
}

struct coro_bits *dataflow_allocate_fact_sets(struct coro_arena *arena, uint32_t node_count, uint32_t size)
{
  struct coro_bits *sets = CORO_NEW_ARRAY(arena, struct coro_bits, node_count);
  for (uint32_t n = 0; sets && n < node_count; n++)
    if (!coro_bits_init(&sets[n], arena, size))
      return NULL;
  return sets;
}

struct coro_bits *dataflow_solve_facts(const struct dataflow_facts *p, struct coro_arena *arena)
{
  struct solver s = {.p = p, .facts = dataflow_allocate_fact_sets(arena, p->graph->node_count, p->size)};
  struct dataflow problem = {p->graph, p->rpo, p->backward, recompute_facts_of_node, &s};
  if (!s.facts || !coro_bits_init(&s.met, arena, p->size) || !coro_bits_init(&s.crossed, arena, p->size))
    return NULL;
  for (uint32_t n = 0; p->must && n < p->graph->node_count; n++)
    for (uint32_t i = 0; i < p->size; i++)
      coro_bits_set(&s.facts[n], i);
  return dataflow_solve_by_worklist(&problem, arena) ? s.facts : NULL;
}
