/* Directed graphs on uint32_t node ids in compressed form, and what is asked of them.
   Needs: base. Leaves: plain arrays in the caller's arena. Every function is linear or near-linear in nodes + edges
   and returns false only when memory ran out. */
#ifndef CORO_GRAPH_GRAPH_H
#define CORO_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/bits.h"

#define GRAPH_NONE UINT32_MAX

struct graph_edge {
  uint32_t from, to;
};

struct graph {
  uint32_t node_count, edge_count;
  uint32_t *succ_start, *succ; /* successors of n: succ[succ_start[n] .. succ_start[n + 1]), in the order given */
  uint32_t *pred_start, *pred; /* predecessors likewise */
};

bool graph_build(struct graph *g, struct coro_arena *arena, uint32_t node_count, const struct graph_edge *edges,
                 uint32_t edge_count);

/* Reverse post-order from `entry`; unreachable nodes are absent. number[n] is n's place in order, or GRAPH_NONE. */
struct graph_rpo {
  uint32_t *order, *number;
  uint32_t count;
};
bool graph_rpo(struct graph_rpo *rpo, struct coro_arena *arena, const struct graph *g, uint32_t entry);

/* Dominator tree. idom[entry] == entry; idom of an unreachable node is GRAPH_NONE. in/out number the tree depth-first,
   so that dominance is two comparisons. */
struct graph_dom {
  uint32_t *idom, *in, *out, *level;
  uint32_t *order; /* the reachable nodes by `in`: what n dominates is order[in[n]] .. order[out[n]] */
};
bool graph_dom(struct graph_dom *dom, struct coro_arena *arena, const struct graph *g, const struct graph_rpo *rpo);

static inline bool graph_dominates(const struct graph_dom *dom, uint32_t a, uint32_t b) /* a == b counts */
{
  return dom->idom[a] != GRAPH_NONE && dom->idom[b] != GRAPH_NONE && dom->in[a] <= dom->in[b] &&
         dom->out[b] <= dom->out[a];
}

/* Natural loops, each behind the one that it lies in. Two that share a header are one. A cycle that is entered at
   several places is no loop. */
struct graph_loops {
  uint32_t *loop; /* by node: the innermost that it is in, or GRAPH_NONE */
  uint32_t *header, *parent; /* by loop; the parent of an outermost one is GRAPH_NONE */
  uint32_t count;
};
bool graph_loops(struct graph_loops *loops, struct coro_arena *arena, const struct graph *g,
                 const struct graph_dom *dom);

/* Iterated dominance frontier of a set of nodes: sets the bits of its members in `frontier` (of node_count bits, clear
   before). */
bool graph_idf(struct coro_bits *frontier, struct coro_arena *arena, const struct graph *g, const struct graph_dom *dom,
               const uint32_t *defs, uint32_t def_count);

/* Variables have definitions in nodes, several in one in the order in which they stand in `defs`. */
struct graph_def {
  uint32_t variable, node;
};
struct graph_ask {
  uint32_t variable, node;
  uint32_t def; /* the answer: an index in `defs`, or GRAPH_NONE */
};
struct graph_reaching {
  const struct graph_def *defs;
  struct graph_ask *asks;
  uint32_t def_count, ask_count, variable_count;
};
/* Answers which definition a variable has at the start of a node whichever way control came there; none where there are
   several, or a way without one. Costs what single assignment form of these variables does. */
bool graph_reaching(const struct graph_reaching *question, struct coro_arena *arena, const struct graph *g,
                    const struct graph_dom *dom);

/* Strongly connected components. cyclic[c]: more than one node, or a node with an edge to itself. Components are
   numbered so that edges between them go from a higher to a lower number. */
struct graph_scc {
  uint32_t *component; /* by node; GRAPH_NONE never: every node has one */
  bool *cyclic; /* by component */
  uint32_t count;
};
bool graph_scc(struct graph_scc *scc, struct coro_arena *arena, const struct graph *g);
/* From either of these nodes, which may be the same, ways lead to the other and back. */
static inline bool graph_comes_round(const struct graph_scc *scc, uint32_t a, uint32_t b)
{
  return scc->component[a] == scc->component[b] && scc->cyclic[scc->component[a]];
}

/* Marks in `reached` (of node_count bits) what can be reached from `starts`, themselves included; backwards: what
   can reach them. */
bool graph_reach(struct coro_bits *reached, struct coro_arena *arena, const struct graph *g, const uint32_t *starts,
                 uint32_t start_count, bool backwards);

#endif
