/* Checks what a clone returns whose type is that of abi.clone: the result of the last abi.suspend or abi.end, or zero.
   Requires: a walk in progress. */
#pragma once

#include "check/skipped_code.h"

/* Whether the instruction stores to the alloca of the clone's result. */
bool clone_result_is_store(const struct check_walk *w, uint32_t inst);
/* Checks a store to the alloca of the clone's result. */
bool clone_result_check_store(struct check_walk *w, uint32_t inst);
/* Checks what a walked clone returns. */
bool clone_result_check(struct check *c, const struct check_clone *k);
