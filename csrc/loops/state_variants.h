/* Computes the product graph of a graph and a finite set of abstract states. A *variant* is a node together with one
   state in which the node is entered.
   Requires: transfer functions of nodes and edges; a weight for each node.
   Guarantees: arrays in the caller's arena; no variants if their total weight would exceed the limit. */
#pragma once

#include "graph/graph.h"

/* A state has one number per variable; 0: unknown. Edges are indices into graph.succ. */
struct graph_transfer {
  void *context;
  uint32_t variable_count;
  const struct coro_bits *live; /* by node: variables that are live in it or later; others are reset to 0 */
  const uint32_t *weight; /* by node */
  /* Edge transfer function: computes the state after `edge` from the state in `node`. */
  void (*follow)(void *context, uint32_t node, uint32_t edge, const uint32_t *state, uint32_t *successor_state);
  /* The only edge that can be taken in this state; GRAPH_NONE: any. */
  uint32_t (*known_edge)(void *context, uint32_t node, const uint32_t *state);
};

struct graph_variants {
  uint32_t count; /* 0: the total weight exceeds `most` */
  uint32_t *node; /* by variant; the first is the entry's */
  uint32_t *known_edge; /* by variant: the only edge taken, or GRAPH_NONE */
  /* By variant: successor variants, one per edge of its node, GRAPH_NONE for edges never taken: succ[succ_start[v]
     .. succ_start[v + 1]). */
  uint32_t *succ_start, *succ;
  uint32_t *of_node; /* by node: number of its variants */
};

/* False: out of memory. */
bool graph_variants(struct graph_variants *variants, struct coro_arena *arena, const struct graph *g, uint32_t entry,
                    const struct graph_transfer *rules, uint32_t most);
