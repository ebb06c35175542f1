/* Copies from the ramp's stack into the frame after llvm.coro.begin: of allocas that were written before it, and of
   byval-like arguments.
   Requires: a simulation of the ramp. */
#ifndef CORO_CHECK_COPY_IN_H
#define CORO_CHECK_COPY_IN_H

#include "check/steps.h"

/* False, with an answer: it does not copy an alloca as a whole into the frame. */
bool copy_in_call(struct check_walk *w, uint32_t inst);
/* Whether the address is that of a byval-like argument. */
bool copy_in_is_argument(const struct check_walk *w, LLVMValueRef address);
/* Whether a store into the frame is such a copy. */
bool copy_in_store(struct check_walk *w, uint32_t inst, uint64_t offset);
/* Proves that no address computed before llvm.coro.begin from memory that moves into the frame is used after it, and
   that the content is copied. `derived` are presplit values. */
bool copy_in_check(struct check *c, const struct check_memory *memory);

#endif
