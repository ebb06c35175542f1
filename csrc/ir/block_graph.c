/* Builds the control flow graph of a function, over the ids of its blocks. */
#include "ir/block_graph.h"

bool ir_build_block_graph(struct graph *graph, struct coro_arena *arena, const struct ir_fn *fn)
{
  uint32_t count = fn->successor_start[fn->block_count];
  struct graph_edge *edges = coro_arena_alloc(arena, count * sizeof *edges);
  if (!edges)
    return false;
  for (uint32_t b = 0; b < fn->block_count; b++)
    for (uint32_t s = fn->successor_start[b]; s < fn->successor_start[b + 1]; s++)
      edges[s] = (struct graph_edge){b, fn->successors[s]};
  return graph_build(graph, arena, fn->block_count, edges, count);
}
