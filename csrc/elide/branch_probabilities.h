/* Computes the probability of each edge of a function's control flow graph.
   Requires: graph, LLVM-C.
   Guarantees: the function is unchanged. */
#pragma once

#include "graph/graph.h"
#include "run/intrinsic_calls.h"

struct branch_probs {
  LLVMBasicBlockRef *blocks; /* in program order, including unreachable blocks */
  uint32_t count;
  struct coro_map numbers; /* block -> index in blocks */
  struct graph graph;      /* the edges of a block have the order of its terminator's successors */
  struct graph_rpo rpo;
  double *probability; /* by edge, in the order of graph.succ; those of a reachable block add up to 1 */
};

bool branch_probs_compute(struct branch_probs *b, struct pass_run *run,
                          LLVMValueRef function); /* false: out of memory */
uint32_t branch_probs_index_of_block(const struct branch_probs *b, LLVMBasicBlockRef block);
