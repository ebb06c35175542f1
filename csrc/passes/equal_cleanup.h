/* Finds the cleanup of a destroyed coroutine that equals the ramp's cleanup after an exception.
   Requires: a coroutine before coro-split.
   Guarantees: the function is unchanged. */
#pragma once

#include "run/pass.h"

struct equal_cleanup {
  LLVMBasicBlockRef entry; /* the first block of the destroy path's cleanup */
  LLVMValueRef phi;        /* the only phi of that block: the selector of its destination */
  LLVMValueRef selector;   /* the constant for which the coroutine ends after the cleanup */
};

/* Whether the destroy path of `suspend` executes the same code as the ramp does after the branch on
   llvm.coro.is_in_ramp, up to where the ramp propagates the exception and the other ends the coroutine. */
bool equal_cleanup_find_if_any(struct pass_run *run, LLVMValueRef branch, LLVMValueRef suspend,
                               struct equal_cleanup *found);
