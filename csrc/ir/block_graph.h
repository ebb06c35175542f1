/* Builds the control flow graph of a function, over the ids of its blocks.
   Requires: number.
   Guarantees: the edges are in the order of the blocks and of their successors. */
#pragma once

#include "graph/graph.h"
#include "ir/number.h"

/* False: out of memory. */
bool ir_build_block_graph(struct graph *graph, struct coro_arena *arena, const struct ir_fn *fn);
