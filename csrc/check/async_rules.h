/* Rules of the async ABI: the frame is at a fixed offset in the async context, each suspend and end is a tail call of
   the function that it names, and a clone computes its context by the projection function of its suspend.
   Requires: numbered clones.
   Guarantees: all clones address the same frame, and each clone is the resume function of its suspend. */
#pragma once

#include "check/skipped_code.h"

/* Checks that the frame is within the context size of the async function pointer. Finds the clone of each
   llvm.coro.async.resume. */
bool async_rules_check_size_and_map_resumes(struct check *c);
/* Checks that the clone addresses the frame at its offset in the context. Sets k->context. */
bool async_rules_check_frame_and_set_context(struct check *c, struct check_clone *k);
/* Checks the type and parameter attributes of a clone against its suspend. */
bool async_rules_check_parameters_and_convention(struct check *c, const struct check_clone *k);
/* Proves that a simulated clone's context is the result of its projection. */
bool async_rules_check_context_is_projected(struct check *c, const struct check_clone *k);
/* Checks that the clone has executed the projection, as required at its landing. */
bool check_projection_was_executed(struct check *c, const struct check_clone *k, const struct check_state *state);
/* Checks a call of the projection, or the tail call of a suspend or end. */
bool async_rules_check_call(struct check_walk *w, uint32_t inst, uint32_t presplit);
/* Checks the first instruction of the inlined body of such a callee. */
bool async_rules_enter_body(struct check_walk *w, uint32_t inst, uint32_t body);
/* Checks a return, with `next` as the next presplit instruction. */
bool async_rules_check_return(struct check_walk *w, uint32_t inst, uint32_t next);
/* Whether the carrier is the context, the result of an llvm.coro.async.resume, or that of a suspend. */
bool async_rules_is_context(const struct check *c, const struct check_clone *k, LLVMValueRef carrier, uint32_t value);
bool async_rules_is_function_of_async_resume(const struct check *c, LLVMValueRef carrier, uint32_t inst);
bool async_rules_is_suspend_result(const struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                   uint32_t suspend);
