/* Unique reaching definitions, as SSA construction computes them (Cytron et al., 1991): places merges at iterated
   dominance frontiers, then walks the dominator tree with an undo stack.
   Requires: a dominator tree. Guarantees: results in the queries. */
#include <string.h>

#include "base/vec.h"
#include "graph/graph.h"

struct undo { /* undo record: restores the variable after the node's dominator subtree */
  uint32_t variable, old_def, last;
};

struct walk {
  struct coro_arena *arena;
  const struct graph *g;
  const struct graph_dom *dom;
  const struct graph_reaching *question;
  CORO_VEC(struct graph_def) merges; /* nodes where definitions merge */
  struct graph_groups defs_in, merges_in, queries_in; /* by node */
  uint32_t *current; /* by variable: the reaching definition, or GRAPH_NONE */
  CORO_VEC(struct undo) changes;
};

static bool group_definitions_by_node(struct walk *w, struct graph_groups *groups, const struct graph_def *defs,
                                      uint32_t count)
{
  uint32_t *keys = CORO_NEW_ARRAY(w->arena, uint32_t, count);
  for (uint32_t i = 0; keys && i < count; i++)
    keys[i] = defs[i].node;
  return keys && graph_group_by_key(groups, w->arena, keys, count, w->g->node_count);
}

static bool place_merge_definitions(struct walk *w)
{
  struct graph_groups of_variable;
  struct coro_bits frontier;
  uint32_t *keys = CORO_NEW_ARRAY(w->arena, uint32_t, w->question->def_count);
  uint32_t *nodes = CORO_NEW_ARRAY(w->arena, uint32_t, w->question->def_count);
  for (uint32_t d = 0; keys && d < w->question->def_count; d++)
    keys[d] = w->question->defs[d].variable;
  if (!keys || !nodes ||
      !graph_group_by_key(&of_variable, w->arena, keys, w->question->def_count, w->question->variable_count) ||
      !coro_bits_init(&frontier, w->arena, w->g->node_count))
    return false;
  for (uint32_t v = 0; v < w->question->variable_count; v++) {
    uint32_t count = 0;
    for (uint32_t i = of_variable.start[v]; i < of_variable.start[v + 1]; i++)
      nodes[count++] = w->question->defs[of_variable.items[i]].node;
    coro_bits_clear(&frontier);
    if (!graph_iterated_dominance_frontier(&frontier, w->arena, w->g, w->dom, nodes, count))
      return false;
    for (uint32_t word = 0; word < (w->g->node_count + 63) / 64; word++)
      for (uint64_t rest = frontier.words[word]; rest; rest &= rest - 1)
        if (!coro_vec_push(w->arena, &w->merges, ((struct graph_def){v, 64 * word + (uint32_t)__builtin_ctzll(rest)})))
          return false;
  }
  return true;
}

static bool set_current_definition(struct walk *w, uint32_t variable, uint32_t def, uint32_t node)
{
  struct undo undo = {variable, w->current[variable], w->dom->out[node]};
  w->current[variable] = def;
  return coro_vec_push(w->arena, &w->changes, undo);
}

static bool process_definitions_of_node(struct walk *w, uint32_t node)
{
  struct graph_query *queries = w->question->queries;
  for (uint32_t i = w->merges_in.start[node]; i < w->merges_in.start[node + 1]; i++)
    if (!set_current_definition(w, w->merges.items[w->merges_in.items[i]].variable, GRAPH_NONE, node))
      return false;
  for (uint32_t i = w->queries_in.start[node]; i < w->queries_in.start[node + 1]; i++)
    queries[w->queries_in.items[i]].def = w->current[queries[w->queries_in.items[i]].variable];
  for (uint32_t i = w->defs_in.start[node]; i < w->defs_in.start[node + 1]; i++)
    if (!set_current_definition(w, w->question->defs[w->defs_in.items[i]].variable, w->defs_in.items[i], node))
      return false;
  return true;
}

static bool propagate_along_dominator_tree(struct walk *w)
{
  uint32_t count = w->dom->out[w->dom->order[0]] + 1;
  for (uint32_t at = 0; at < count; at++) {
    while (w->changes.count && w->changes.items[w->changes.count - 1].last < at) {
      struct undo entry = w->changes.items[--w->changes.count];
      w->current[entry.variable] = entry.old_def;
    }
    if (!process_definitions_of_node(w, w->dom->order[at]))
      return false;
  }
  return true;
}

bool graph_find_unique_reaching_definitions(const struct graph_reaching *question, struct coro_arena *arena,
                                            const struct graph *g, const struct graph_dom *dom)
{
  struct walk w = {.arena = arena, .g = g, .dom = dom, .question = question};
  uint32_t *keys = CORO_NEW_ARRAY(arena, uint32_t, question->query_count);
  w.current = CORO_NEW_ARRAY(arena, uint32_t, question->variable_count);
  if (!keys || !w.current || !place_merge_definitions(&w))
    return false;
  memset(w.current, 0xff, question->variable_count * sizeof *w.current);
  for (uint32_t i = 0; i < question->query_count; i++) {
    keys[i] = question->queries[i].node;
    question->queries[i].def = GRAPH_NONE;
  }
  return graph_group_by_key(&w.queries_in, arena, keys, question->query_count, g->node_count) &&
         group_definitions_by_node(&w, &w.defs_in, question->defs, question->def_count) &&
         group_definitions_by_node(&w, &w.merges_in, w.merges.items, w.merges.count) &&
         propagate_along_dominator_tree(&w);
}
