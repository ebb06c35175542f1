/* Bodies of functions that the ABI calls, inlined into a clone: the function that a suspend of an async coroutine hands
   control to, the projection of its context, and hooks. Each copy is compared with the function, in the order of
   execution.
   Requires: a witness that names the function, and the original of each copied instruction.
   Guarantees: a body that is entered is executed as the function would be. */
#ifndef CORO_CHECK_INLINED_BODY_H
#define CORO_CHECK_INLINED_BODY_H

#include "check/steps.h"

/* Finds the copies of all bodies. False, with an answer: two copies of one instruction, or out of memory. */
bool inlined_body_find(struct check *c);
/* A copy of an instruction of body number `body`. */
bool inlined_body_instruction(struct check_walk *w, uint32_t inst, uint32_t body);
/* Before an instruction that is no such copy: leaves a body that has returned. False, with an answer: a body that has
   not returned is interrupted. */
bool inlined_body_leave(struct check_walk *w, uint32_t inst);
/* The state on the edge from a copied terminator of a body to its successor number `index`. */
struct check_state inlined_body_edge(const struct check *c, const struct check_clone *k, uint32_t block,
                                     unsigned index);
/* Proves the incoming values of the copied phis of a walked clone. */
bool inlined_body_check_phis(struct check *c, struct check_clone *k);
/* Whether the function has instructions to execute before it returns. */
bool inlined_body_has_code(const struct check_body *body);
/* The value that the body returned in a walked clone: the only one, or a phi of all. NULL: none, or no such phi. */
LLVMValueRef inlined_body_result(const struct check *c, const struct check_clone *k, const struct check_body *body);

#endif
