/* Directed graphs on uint32_t node ids in compressed sparse row form, and algorithms on them.
   Requires: base. Guarantees: arrays in the caller's arena. All functions are linear or near-linear in nodes and
   edges, and return false only if memory ran out. */
#pragma once

#include "base/arena.h"
#include "base/bits.h"

#define GRAPH_NONE UINT32_MAX

struct graph_edge {
  uint32_t from, to;
};

struct graph {
  uint32_t node_count, edge_count;
  uint32_t *succ_start, *succ; /* successors of n: succ[succ_start[n] .. succ_start[n + 1]), in input order */
  uint32_t *pred_start, *pred; /* predecessors, in the same form */
  uint32_t *pred_edge; /* the edge of each entry of `pred`: its index in `succ` */
};

bool graph_build(struct graph *g, struct coro_arena *arena, uint32_t node_count, const struct graph_edge *edges,
                 uint32_t edge_count);

/* The same from the successors in compressed sparse row form, which the graph shares. */
bool graph_build_from_successors(struct graph *g, struct coro_arena *arena, uint32_t node_count, uint32_t *succ_start,
                                 uint32_t *succ);

/* Reverse post-order from `entry` without unreachable nodes. number[n] is the position of n, or GRAPH_NONE. */
struct graph_rpo {
  uint32_t *order, *number;
  uint32_t count;
};
bool graph_compute_reverse_postorder(struct graph_rpo *rpo, struct coro_arena *arena, const struct graph *g,
                                     uint32_t entry);

/* Dominator tree. idom[entry] == entry; idom of an unreachable node is GRAPH_NONE. in/out number the tree
   depth-first, so that a dominance query is two comparisons. */
struct graph_dom {
  uint32_t *idom, *in, *out, *level;
  uint32_t *order; /* reachable nodes by `in`: n dominates order[in[n]] .. order[out[n]] */
};
bool graph_compute_dominators(struct graph_dom *dom, struct coro_arena *arena, const struct graph *g,
                              const struct graph_rpo *rpo);

static inline bool graph_dominates(const struct graph_dom *dom, uint32_t a, uint32_t b) /* reflexive */
{
  return dom->idom[a] != GRAPH_NONE && dom->idom[b] != GRAPH_NONE && dom->in[a] <= dom->in[b] &&
         dom->out[b] <= dom->out[a];
}

/* Natural loops; each follows its parent. Loops with the same header are merged. Irreducible cycles are not loops. */
struct graph_loops {
  uint32_t *loop; /* by node: the innermost loop, or GRAPH_NONE */
  uint32_t *header, *parent; /* by loop; the parent of an outermost loop is GRAPH_NONE */
  uint32_t count;
};
bool graph_find_natural_loops(struct graph_loops *loops, struct coro_arena *arena, const struct graph *g,
                              const struct graph_dom *dom);

/* Sets the bits of the iterated dominance frontier of `defs` in `frontier` (node_count bits, initially clear). */
bool graph_iterated_dominance_frontier(struct coro_bits *frontier, struct coro_arena *arena, const struct graph *g,
                                       const struct graph_dom *dom, const uint32_t *defs, uint32_t def_count);

/* Indices 0..count grouped by key: group k is items[start[k] .. start[k + 1]), in order. */
struct graph_groups {
  uint32_t *start, *items;
};
bool graph_group_by_key(struct graph_groups *groups, struct coro_arena *arena, const uint32_t *keys, uint32_t count,
                        uint32_t key_count);

/* Definitions of variables in nodes. Definitions in the same node take effect in the order of `defs`. */
struct graph_def {
  uint32_t variable, node;
};
struct graph_query {
  uint32_t variable, node;
  uint32_t def; /* result: index in `defs`, or GRAPH_NONE */
};
struct graph_reaching {
  const struct graph_def *defs;
  struct graph_query *queries;
  uint32_t def_count, query_count, variable_count;
};
/* Finds for each query the single definition that reaches the start of its node on all paths. GRAPH_NONE if several
   definitions reach it, or a path has none. Costs as much as SSA construction for these variables. */
bool graph_find_unique_reaching_definitions(const struct graph_reaching *question, struct coro_arena *arena,
                                            const struct graph *g, const struct graph_dom *dom);

/* Strongly connected components. cyclic[c]: it has several nodes, or a self loop. Components are numbered in reverse
   topological order. */
struct graph_scc {
  uint32_t *component; /* by node; never GRAPH_NONE */
  bool *cyclic; /* by component */
  uint32_t count;
};
bool graph_strongly_connected_components(struct graph_scc *scc, struct coro_arena *arena, const struct graph *g);
/* True if `a` and `b`, which may be equal, lie on a common cycle. */
static inline bool graph_on_common_cycle(const struct graph_scc *scc, uint32_t a, uint32_t b)
{
  return scc->component[a] == scc->component[b] && scc->cyclic[scc->component[a]];
}
static inline bool graph_has_cycle(const struct graph_scc *scc)
{
  bool cyclic = false;
  for (uint32_t c = 0; c < scc->count && !cyclic; c++)
    cyclic = scc->cyclic[c];
  return cyclic;
}

/* Marks in `reached` (node_count bits) the nodes reachable from `starts`, inclusive; `backwards` follows
   predecessors. */
bool graph_mark_reachable_nodes(struct coro_bits *reached, struct coro_arena *arena, const struct graph *g,
                                const uint32_t *starts, uint32_t start_count, bool backwards);
