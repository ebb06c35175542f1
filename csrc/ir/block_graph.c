/* Builds the control flow graph of a function, over the ids of its blocks. */
#include "ir/block_graph.h"

#include "base/vec.h"
#include "ir/flow.h"

bool ir_build_block_graph(struct graph *graph, struct coro_arena *arena, const struct ir_fn *fn)
{
  CORO_VEC(struct graph_edge) edges = {0};
  for (uint32_t b = 0; b < fn->block_count; b++) {
    LLVMValueRef terminator = fn->insts[fn->block_start[b + 1] - 1];
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
      if (!coro_vec_push(arena, &edges, ((struct graph_edge){b, flow_successor(fn, terminator, i)})))
        return false;
  }
  return graph_build(graph, arena, fn->block_count, edges.items, edges.count);
}
