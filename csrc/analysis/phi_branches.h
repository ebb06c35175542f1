/* Finds the edges that each function takes where a phi of constants decides. Clang merges the paths of a coroutine into
   shared cleanups, and a phi selects the successor of the cleanup:

     %dest = phi i32 [ 0, %resumed ], [ 2, %destroyed ]
     switch i32 %dest, label %out [ i32 0, label %next ]

   A destroy function reaches the switch from %destroyed only, so it takes the edge to %out, and needs no copy of %next.
   This is conditional constant propagation (Wegman and Zadeck) for each function, over phis that decide the successor
   of their own block, and phis that these merge.
   Requires: number; the nodes and edges of the control flow graph.
   Guarantees: time linear in nodes, edges and operands of these phis. The function is unchanged. */
#pragma once

#include "analysis/cfg.h"
#include "base/map.h"

struct phi_branch { /* of a node */
  uint32_t phi; /* instruction: decides the successor, or is passed to a phi of the successor; IR_NONE: none */
  bool reached, takes_all_edges;
  LLVMValueRef constant; /* the phi's value on all edges visited so far; NULL: unknown */
  uint32_t target; /* the only node to which control continues, unless takes_all_edges */
  const struct coro_map *cases; /* of a switch: constant -> index of the successor; NULL: not searched yet */
};

struct phi_branches {
  struct coro_cfg *cfg;
  struct coro_arena *arena;
  const struct ir_fn *fn;
  struct phi_branch *of_node;
  struct coro_map incoming; /* index of the incoming value of a phi by (node, block) */
  struct worklist nodes;
  coro_insts revisited; /* nodes to visit again: their phi has more values, or they take more edges */
};

/* False: out of memory. */
bool phi_branches_init(struct phi_branches *p, struct coro_arena *arena, const struct ir_fn *fn, struct coro_cfg *cfg);
/* Marks the nodes that these functions reach from the `count` nodes from `first` on, and removes the functions from
   edges that they do not take. False: out of memory. */
bool phi_branches_mark_nodes_and_restrict_edges(struct phi_branches *p, unsigned clone_kinds, uint32_t first,
                                                uint32_t count);
