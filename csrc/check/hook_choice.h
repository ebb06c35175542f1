/* Checks the branches by which the code of a custom ABI decides at run time whether to execute a hook: abi.alloc if the
   frame is not elided, abi.free if there is memory to free, abi.end if the clone has not suspended. The *mark* is the
   alloca that records whether the clone has suspended.
   Requires: a simulation in progress.
   Guarantees: one edge of the branch executes the hook; the other may skip it. */
#pragma once

#include "check/skipped_code.h"

/* Checks a conditional branch of the lowering. */
bool hook_choice_check_branch(struct check_walk *w, uint32_t inst);
/* Checks a call that such a branch needs: llvm.coro.alloc or llvm.coro.free. False: it is another call, or refuted. */
bool hook_choice_check_alloc_or_free_call(struct check_walk *w, uint32_t inst);
/* Whether the address is that of the mark. */
bool hook_choice_is_suspended_mark(const struct check_walk *w, LLVMValueRef address);
bool hook_choice_check_store_of_suspended_mark(struct check_walk *w, uint32_t inst);
/* Whether the memory of llvm.coro.begin is what abi.alloc returned, or null if the frame is elided. */
bool hook_choice_is_memory_for_begin(const struct check *c, const struct check_clone *k, LLVMValueRef memory);
