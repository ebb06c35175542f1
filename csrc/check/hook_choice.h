/* Branches by which the code of a custom ABI decides at run time whether to execute a hook: abi.alloc if the frame is
   not elided, abi.free if there is memory to free, abi.end if the clone has not suspended. The *mark* is the alloca
   that records the latter.
   Requires: a simulation in progress.
   Guarantees: each hook is executed on one edge, and need not be on the other. */
#ifndef CORO_CHECK_HOOK_CHOICE_H
#define CORO_CHECK_HOOK_CHOICE_H

#include "check/skipped_code.h"

/* A conditional branch of the lowering. */
bool hook_choice_branch(struct check_walk *w, uint32_t inst);
/* Whether the call is an llvm.coro.alloc or llvm.coro.free for such a branch; false: it is not, or refuted. */
bool hook_choice_call(struct check_walk *w, uint32_t inst);
/* A store to the alloca that marks whether the clone has suspended. */
bool hook_choice_is_mark(const struct check_walk *w, LLVMValueRef address);
bool hook_choice_store_mark(struct check_walk *w, uint32_t inst);
/* Whether the memory of llvm.coro.begin is what abi.alloc returned, or null if the frame is elided. */
bool hook_choice_is_memory(const struct check *c, const struct check_clone *k, LLVMValueRef memory);

#endif
