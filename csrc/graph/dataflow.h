/* Dataflow analysis: iteration to a fixed point in reverse post-order (Kildall), backward or forward. A node is only
   visited again after the state of one of its neighbors changed.
   Requires: base. Guarantees: terminates if states only change in one direction a bounded number of times, or if the
   arena fails. */
#pragma once

#include "graph/graph.h"

/* A problem over states of any kind, which the client stores by node. */
struct dataflow {
  const struct graph *graph;
  const struct graph_rpo *rpo; /* other nodes are not visited */
  bool backward;
  /* Computes the state of a node from those of its predecessors; of its successors, if backward. True: it changed. */
  bool (*update)(void *user, uint32_t node);
  void *user;
};

bool dataflow_solve_by_worklist(const struct dataflow *problem, struct coro_arena *arena); /* false: out of memory */

/* A problem over sets of facts. The facts of a node hold at its end; at its head, if backward. */
struct dataflow_facts {
  const struct graph *graph;
  const struct graph_rpo *rpo;
  bool backward;
  bool
      must; /* facts hold if they do on all paths; else on some path. None holds at the entry; at exits, if backward. */
  uint32_t size; /* facts are below it */
  /* Indexed by node: facts that hold after it, and others that do not, whatever holds before. NULL: none. */
  const struct coro_bits *gen, *kill;
  /* Edge transfer function: computes `after`, initially clear, from the facts at the other end of an edge, which is an
     index in graph->succ. NULL: the same facts. */
  void (*cross)(void *user, uint32_t from, uint32_t edge, const struct coro_bits *facts, struct coro_bits *after);
  void *user;
};

/* Indexed by node. NULL: out of memory. */
struct coro_bits *dataflow_solve_facts(const struct dataflow_facts *problem, struct coro_arena *arena);

/* One set per node, all empty. NULL: out of memory. */
struct coro_bits *dataflow_allocate_fact_sets(struct coro_arena *arena, uint32_t node_count, uint32_t size);
