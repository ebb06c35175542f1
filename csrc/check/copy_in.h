/* Checks copies from the ramp's stack into the frame after llvm.coro.begin: copies of allocas that were written before
   it, and of byval-like arguments.
   Requires: a simulation of the ramp. */
#pragma once

#include "check/skipped_code.h"

/* False, with an answer: it does not copy an alloca as a whole into the frame. */
bool copy_in_check_memcpy(struct check_walk *w, uint32_t inst);
/* Whether the address is that of a byval-like argument. */
bool copy_in_is_byval_argument_address(const struct check_walk *w, LLVMValueRef address);
/* Moves to the place right after llvm.coro.begin, unless the clone has a copy of it. False: the walk is not there. */
bool copy_in_skip_to_right_after_begin(struct check_walk *w);
/* Whether a store into the frame is such a copy. */
bool copy_in_accepts_store(struct check_walk *w, uint32_t inst, uint64_t offset);
/* Proves that the addresses of memory on the ramp's stack before llvm.coro.begin are valid where they are used after
   it, and that its content is copied if it moves into the frame. Addresses include results of calls that are passed
   one. Such a callee is assumed not to store it. Adds PLACE_ON_STACK if the memory is used after llvm.coro.begin. */
bool check_memory_used_before_begin(struct check *c, struct check_memory *memory);
