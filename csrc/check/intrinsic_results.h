/* Checks the values that replace the results of the coroutine's own llvm.coro.* calls in a clone: constants such as the
   frame's size, the frame's address, the memory to free.
   Requires: simulated clones. */
#pragma once

#include "check/check_data.h"

/* Checks that the clone's instruction computes the result of the presplit intrinsic that it replaces. */
bool check_is_intrinsic_result(struct check *c, struct check_clone *k, uint32_t inst, uint32_t presplit);
/* Whether the intrinsic, for which the clone has no code, has this value as its result. */
bool is_result_of_intrinsic_without_code(struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                         uint32_t presplit);
/* Whether the carrier is the constant `result` (-1, 0 or 1). False, with an answer: it is not. */
bool check_is_constant_suspend_result(struct check *c, const struct check_clone *k, LLVMValueRef carrier, int result);

/* Checks that the clone's value is the memory to free in f.resume. */
bool check_is_memory_to_free_in_resume(struct check *c, struct check_clone *k, LLVMValueRef select);
