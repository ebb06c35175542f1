/* The control flow of a function with how likely each way out of a block is.
   Needs: graph, LLVM-C. Leaves: the function as it was. */
#ifndef CORO_PASS_BRANCH_PROBABILITIES_H
#define CORO_PASS_BRANCH_PROBABILITIES_H

#include "graph/graph.h"
#include "pass/intrinsic_calls.h"

struct branch_probs {
  LLVMBasicBlockRef *blocks; /* in program order, also those that cannot be reached */
  uint32_t count;
  struct coro_map numbers; /* block -> index in blocks */
  struct graph graph;      /* a block's edges stand in the order of its terminator's successors */
  struct graph_rpo rpo;
  double *probability; /* by edge, in the order of graph.succ; those out of a block that can be reached add up to 1 */
};

bool branch_probs_compute(struct branch_probs *b, struct pass_run *run,
                          LLVMValueRef function); /* false: memory ran out */
uint32_t branch_probs_block(const struct branch_probs *b, LLVMBasicBlockRef block);

#endif
