/* Allocas that stay on the stack, whatever the coroutine does with them.
   Requires: an alloca of a function that verifies. Guarantees: the function is not modified. */
#ifndef CORO_CORO_ON_STACK_H
#define CORO_CORO_ON_STACK_H

#include <stdbool.h>

#include "llvm-c/Core.h"

struct coro_lowering;

/* The alloca is the memory in which a call passes its arguments (inalloca). It has to be the last one that is made on
   the stack before that call. */
bool on_stack_for_arguments(LLVMValueRef alloca);
/* Why the alloca has to be on the stack: it is such memory, or an intrinsic is about variables on the stack. NULL: it
   may be in the frame. */
const char *on_stack_reason(const struct coro_lowering *low, LLVMValueRef alloca);
/* The frontend or the target wants the alloca on the stack of each function that uses it. Its content is not needed
   across a suspend. */
bool on_stack_by_choice(LLVMValueRef alloca);

#endif
