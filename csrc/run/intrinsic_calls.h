/* Lists the functions that call coroutine intrinsics, and the calls of one function.
   Requires: ir.
   Guarantees: arrays in the run's arena, in program order. Functions without such calls cost nothing. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "run/pass.h"

typedef CORO_VEC(LLVMValueRef) pass_values;

/* Functions with a body that call a coroutine intrinsic, in module order. False: out of memory. */
bool pass_list_functions_with_coro_intrinsics(struct pass_run *run, pass_values *functions);
/* All such calls of one function. */
bool pass_list_coro_intrinsic_calls(struct pass_run *run, LLVMValueRef function, pass_values *calls);
