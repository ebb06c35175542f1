/* Redirects edges through a dispatch block, which branches to each entry of a loop by the index of the edge's target.
   Requires: LLVM-C.
   Guarantees: phis have an entry for each predecessor. Values used after the dispatch may have to be repaired
   (transform/ssa_repair.h). */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"

struct redirected {
  /* enter: the new target of the redirected edges, which branches to the dispatch block */
  LLVMBasicBlockRef target, enter;
};

struct redirected_phi {
  LLVMValueRef phi, value; /* a phi of the dispatch block, and its value for the enter block */
  uint32_t target;
};

struct redirect {
  struct coro_arena *arena;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  LLVMBasicBlockRef dispatch; /* NULL before redirect_create_dispatch_block */
  CORO_VEC(struct redirected) targets;
  CORO_VEC(struct redirected_phi) phis;
};

void redirect_create_dispatch_block(struct redirect *r, struct coro_arena *arena, LLVMBuilderRef builder,
                                    LLVMValueRef function);
/* Redirects the edges to the target from these blocks, which may be listed more than once. False: out of memory. */
bool redirect_edges_through_dispatch(struct redirect *r, LLVMBasicBlockRef target, const LLVMBasicBlockRef *from,
                                     uint32_t count);
bool redirect_fill_dispatch_block(struct redirect *r); /* fills the dispatch block; the first target is its default */
