/* Builds the control flow graph of a function, over the ids of its blocks. */
#include "ir/block_graph.h"

bool ir_build_block_graph(struct graph *graph, struct coro_arena *arena, const struct ir_fn *fn)
{
  return graph_build_from_successors(graph, arena, fn->block_count, fn->successor_start, fn->successors);
}
