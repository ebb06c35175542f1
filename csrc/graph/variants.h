/* Variants: each node once for every state in which control may come to it.
   Needs: a graph, and who knows what its edges do to a state. Leaves: plain arrays in the caller's arena. */
#ifndef CORO_GRAPH_VARIANTS_H
#define CORO_GRAPH_VARIANTS_H

#include "graph/graph.h"

/* A state is a number for each variable, 0 where nothing is known of it. Edges are told by their place in
   graph.succ. */
struct graph_rules {
  void *context;
  uint32_t variable_count;
  const struct coro_bits
      *live; /* by node: variables that matter in it or behind it; what the others are is forgotten */
  const uint32_t *weight; /* by node */
  /* What the variables are behind an edge, given what they are in the node that it leaves. */
  void (*follow)(void *context, uint32_t node, uint32_t edge, const uint32_t *state, uint32_t *behind);
  /* The edge by which alone the node is left in that state; GRAPH_NONE: by any. */
  uint32_t (*way)(void *context, uint32_t node, const uint32_t *state);
};

struct graph_variants {
  uint32_t count; /* 0: they weigh more than `most` */
  uint32_t *node; /* by variant; the first is the entry's */
  uint32_t *way; /* by variant: the edge by which alone it is left, or GRAPH_NONE */
  /* By variant: where the edges of its node lead, a variant each, or GRAPH_NONE for those that are not taken:
     succ[succ_start[v] .. succ_start[v + 1]). */
  uint32_t *succ_start, *succ;
  uint32_t *of_node; /* by node: how many it has */
};

/* False: memory ran out. */
bool graph_variants(struct graph_variants *variants, struct coro_arena *arena, const struct graph *g, uint32_t entry,
                    const struct graph_rules *rules, uint32_t most);

#endif
