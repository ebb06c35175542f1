/* Selects the rule for each instruction that the lowering adds to a clone (*added code*). Such an instruction either
   replaces a presplit intrinsic or corresponds to no presplit instruction. skipped_code.h has the reverse, presplit
   code that a clone lacks. A walk (struct check_walk) is in progress.
   Requires: a simulation in progress.
   Guarantees: an instruction with an effect and without a rule is refuted or unsupported. */
#pragma once

#include "check/skipped_code.h"

/* Checks an instruction that is not a copy. False, with an answer: no rule accepts it. */
bool added_code_check_instruction(struct check_walk *w, uint32_t inst);
/* Checks the first instruction of the inlined body of a function that the ABI calls. */
bool added_code_enter_body(struct check_walk *w, uint32_t inst, uint32_t body);
/* Checks a return of the clone, by instruction `inst` or right after it: the presplit coroutine must end here. */
bool added_code_check_return(struct check_walk *w, uint32_t inst);
