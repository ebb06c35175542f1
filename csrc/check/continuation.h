/* Rules of the returned-continuation ABIs: a suspend returns the continuation and the yielded values, and the frame is
   freed before an llvm.coro.end unless it is in the caller's buffer.
   Requires: a simulation in progress. */
#pragma once

#include "check/skipped_code.h"

/* Checks that the clone finds the frame by the buffer. */
bool continuation_check_frame(struct check *c, const struct check_clone *k);
/* Checks a call that replaces llvm.coro.begin or an llvm.coro.end. */
bool continuation_check_call(struct check_walk *w, uint32_t inst, uint32_t presplit);
/* Whether the instruction stores an allocated frame's address in the buffer; then it is checked, and recorded in
   c->frame_stored. False without an answer: it is another store. */
bool continuation_accepts_store_of_frame(struct check_walk *w, uint32_t inst);
/* Checks that instruction `inst` may return, where the presplit function is at `next`. */
bool continuation_check_return(struct check_walk *w, uint32_t inst, uint32_t next);
/* Whether the carrier is the result of the suspend, in a clone that is entered at its landing. */
bool continuation_is_suspend_result(const struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                    uint32_t suspend);
/* Whether the carrier is the buffer. */
bool continuation_is_buffer(const struct check *c, const struct check_clone *k, LLVMValueRef carrier, uint32_t value);
