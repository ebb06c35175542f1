/* Bodies of functions that the ABI calls, inlined into a clone: the function that a suspend of an async coroutine hands
   control to, the projection of its context, and hooks. Each copy is compared with the function, in the order of
   execution.
   Requires: a witness that names the function, and the original of each copied instruction.
   Guarantees: a body that is entered is executed as the function would be. */
#pragma once

#include "check/skipped_code.h"

/* Finds the copies of all bodies. False, with an answer: two copies of one instruction, or out of memory. */
bool inlined_body_find_copies(struct check *c);
/* Checks an instruction as a copy of an instruction of body number `body`. */
bool inlined_body_check_copy_and_advance(struct check_walk *w, uint32_t inst, uint32_t body);
/* Leaves a body that has returned; called before an instruction that is not part of it. False, with an answer: the
   body has not returned. */
bool inlined_body_leave_if_returned_or_refute(struct check_walk *w, uint32_t inst);
/* Whether control is in a body that has not returned. */
bool inlined_body_is_entered_and_not_returned(const struct check *c, const struct check_state *state);
/* Whether the instruction is an alloca of the body that is in the clone's entry, so that it does not enter the body. */
bool inlined_body_is_entry_alloca(const struct check *c, const struct check_clone *k, uint32_t inst);
/* Enters the body at the walk's instruction. The presplit position does not move until the body returns. */
bool inlined_body_enter_once(struct check_walk *w, uint32_t inst, uint32_t body,
                             const struct check_argument *arguments);
/* Proves that the copied phis of a clone have the right incoming values, after the simulation of the clone. */
bool inlined_body_check_phis(struct check *c, struct check_clone *k);
/* Whether the callee does nothing but return. */
bool inlined_body_is_empty(const struct check_body *body);
/* The returned value, if there is one return; else NULL. `returns` is set to their number. */
LLVMValueRef inlined_body_only_returned_value_or_null(const struct check_clone *k, const struct check_body *body,
                                                      uint32_t *returns);
/* Whether the clone's phi merges the returned values of a body in a simulated clone. */
bool inlined_body_is_merged_result(const struct check_clone *k, const struct check_body *body, LLVMValueRef phi);
/* Whether a value is the result of body number `body`, or of its call, in a walked clone. */
bool inlined_body_is_result(const struct check *c, const struct check_clone *k, uint32_t body, LLVMValueRef value);
/* Checks that `carrier`, used by an instruction of the clone, is what an argument must be. It may have been cast to the
   parameter's type. */
bool inlined_body_match_argument(struct check *c, struct check_clone *k, uint32_t inst, LLVMValueRef carrier,
                                 const struct check_argument *argument);
