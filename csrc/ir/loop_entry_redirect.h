/* Redirecting edges through a block that dispatches: the blocks that a loop is entered at, and the block that goes
   on to each of them by the number of the edge's target.
   Requires: LLVM-C. Guarantees: phis have an entry for each predecessor; values that are used after the dispatch may
   have to be repaired (ir/ssa_repair.h). */
#ifndef CORO_IR_LOOP_ENTRY_REDIRECT_H
#define CORO_IR_LOOP_ENTRY_REDIRECT_H

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"

struct redirected {
  LLVMBasicBlockRef target, enter; /* enter: what the redirected edges go to; it goes on to the dispatch */
};

struct redirected_phi {
  LLVMValueRef phi, value; /* in the dispatch; what it is where control comes from the enter block */
  uint32_t target;
};

struct redirect {
  struct coro_arena *arena;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  LLVMBasicBlockRef dispatch; /* NULL before redirect_begin */
  CORO_VEC(struct redirected) targets;
  CORO_VEC(struct redirected_phi) phis;
};

void redirect_begin(struct redirect *r, struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef function);
/* Redirects the edges to the target from these blocks, which may be named more than once. False: memory ran out. */
bool redirect_add(struct redirect *r, LLVMBasicBlockRef target, const LLVMBasicBlockRef *from, uint32_t count);
bool redirect_end(struct redirect *r); /* fills the dispatch; the first target is its default */
/* Moves the terminator of a block to a new block, which is returned; the block goes on to that. */
LLVMBasicBlockRef redirect_isolate(LLVMBuilderRef builder, LLVMBasicBlockRef block);

#endif
