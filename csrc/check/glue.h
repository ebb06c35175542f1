/* Code of the ABI in a clone. It replaces a presplit instruction, or has no counterpart.
   Requires: a walk in progress.
   Guarantees: everything with an effect has a rule. */
#ifndef CORO_CHECK_GLUE_H
#define CORO_CHECK_GLUE_H

#include "check/steps.h"

/* An instruction that is not a copy. False, with an answer: no rule accepts it. */
bool glue_instruction(struct check_walk *w, uint32_t inst);
/* The first instruction of the inlined body of a function that the ABI calls. */
bool glue_enter_body(struct check_walk *w, uint32_t inst, uint32_t body);
/* A return of the clone, by instruction `inst` or right after it: the presplit coroutine must end here. */
bool glue_return(struct check_walk *w, uint32_t inst);
/* A copy of one of the coroutine's own intrinsics. Its operands may differ. */
bool glue_is_own_intrinsic(const struct check *c, uint32_t presplit);
bool glue_copied_intrinsic(struct check_walk *w, uint32_t inst, uint32_t presplit);

#endif
