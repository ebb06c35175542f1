/* Explores (node, state) pairs breadth-first from the entry, each once; see state_variants.h. */
#include "loops/state_variants.h"

#include <string.h>

#include "base/vec.h"

typedef CORO_VEC(uint32_t) numbers;

struct finder {
  struct coro_arena *arena;
  const struct graph *g;
  const struct graph_transfer *rules;
  numbers node, known_edge, succ_start, succ; /* as in graph_variants */
  numbers next;                        /* by variant: next variant of the same node, or GRAPH_NONE */
  CORO_VEC(const uint32_t *) state;    /* by variant */
  uint32_t *head;                      /* by node: one of its variants, or GRAPH_NONE */
  uint32_t *successor_state;                    /* scratch: a successor state */
  uint64_t weight;
};

static void clear_dead_variables(const struct finder *f, uint32_t node, uint32_t *state)
{
  for (uint32_t v = 0; v < f->rules->variable_count; v++)
    if (!coro_bits_get(&f->rules->live[node], v))
      state[v] = 0;
}

/* Finds or creates the variant of the node with this state. GRAPH_NONE: out of memory. */
static uint32_t find_or_create_variant(struct finder *f, uint32_t node, uint32_t *state)
{
  size_t size = f->rules->variable_count * sizeof *state;
  clear_dead_variables(f, node, state);
  for (uint32_t v = f->head[node]; v != GRAPH_NONE; v = f->next.items[v])
    if (!memcmp(f->state.items[v], state, size))
      return v;
  uint32_t *copy = CORO_NEW_ARRAY(f->arena, uint32_t, f->rules->variable_count + 1), number = f->node.count;
  if (!copy || !coro_vec_push(f->arena, &f->node, node) || !coro_vec_push(f->arena, &f->state, copy) ||
      !coro_vec_push(f->arena, &f->next, f->head[node]))
    return GRAPH_NONE;
  memcpy(copy, state, size);
  f->head[node] = number;
  f->weight += f->rules->weight[node];
  return number;
}

static bool add_successors_of_variant(struct finder *f, uint32_t variant)
{
  uint32_t node = f->node.items[variant],
           known_edge = f->rules->known_edge(f->rules->context, node, f->state.items[variant]);
  bool ok =
      coro_vec_push(f->arena, &f->known_edge, known_edge) && coro_vec_push(f->arena, &f->succ_start, f->succ.count);
  for (uint32_t edge = f->g->succ_start[node]; edge < f->g->succ_start[node + 1] && ok; edge++) {
    uint32_t to = GRAPH_NONE;
    if (known_edge == GRAPH_NONE || known_edge == edge) {
      f->rules->follow(f->rules->context, node, edge, f->state.items[variant], f->successor_state);
      to = find_or_create_variant(f, f->g->succ[edge], f->successor_state);
      ok = to != GRAPH_NONE;
    }
    ok = ok && coro_vec_push(f->arena, &f->succ, to);
  }
  return ok;
}

static bool count_variants_by_node(const struct finder *f, struct graph_variants *variants)
{
  variants->of_node = CORO_NEW_ARRAY(f->arena, uint32_t, f->g->node_count + 1);
  if (!variants->of_node)
    return false;
  for (uint32_t v = 0; v < variants->count; v++)
    variants->of_node[variants->node[v]]++;
  return true;
}

bool graph_variants(struct graph_variants *variants, struct coro_arena *arena, const struct graph *g, uint32_t entry,
                    const struct graph_transfer *rules, uint32_t most)
{
  struct finder f = {.arena = arena, .g = g, .rules = rules};
  *variants = (struct graph_variants){0};
  f.head = CORO_NEW_ARRAY(arena, uint32_t, g->node_count + 1);
  f.successor_state = CORO_NEW_ARRAY(arena, uint32_t, rules->variable_count + 1);
  if (!f.head || !f.successor_state)
    return false;
  memset(f.head, 0xff, g->node_count * sizeof *f.head); /* GRAPH_NONE */
  if (find_or_create_variant(&f, entry, f.successor_state) == GRAPH_NONE)
    return false;
  for (uint32_t v = 0; v < f.node.count && f.weight <= most; v++)
    if (!add_successors_of_variant(&f, v))
      return false;
  if (f.weight > most)
    return true;
  if (!coro_vec_push(arena, &f.succ_start, f.succ.count))
    return false;
  *variants = (struct graph_variants){.count = f.node.count,
                                      .node = f.node.items,
                                      .known_edge = f.known_edge.items,
                                      .succ_start = f.succ_start.items,
                                      .succ = f.succ.items};
  return count_variants_by_node(&f, variants);
}
