/* Rules for single hooks of a custom ABI: the positions where their bodies or calls may be, their arguments, and the
   initial content of the ABI's header. hook_state.h checks that none is missing.
   Requires: a simulation in progress.
   Guarantees: a hook is only executed where the ABI promises it, with the arguments that it promises. */
#pragma once

#include "check/skipped_code.h"

/* Finds the hooks, and those that do nothing. */
bool hook_rules_find_hooks(struct check *c);
bool hook_rules_is_hook(const struct check *c, uint32_t body);
/* Checks the first instruction of a hook's inlined body, or a call of the hook. */
bool hook_rules_enter_body(struct check_walk *w, uint32_t inst, uint32_t body);
bool hook_rules_check_call(struct check_walk *w, uint32_t inst, uint32_t body);
/* Whether a store into the frame writes the next part of the header's initial content. False without an answer: it
   does not write to the ABI's header, or all parts have been written; with one: it writes something else. */
bool hook_rules_accepts_header_store(struct check_walk *w, uint32_t inst, uint64_t offset);
/* Checks a branch of the dispatch: a switch must be on the result of abi.dispatch, if the ABI has it. */
bool hook_rules_check_dispatch_branch(struct check_walk *w, uint32_t inst);
