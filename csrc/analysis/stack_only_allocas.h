/* Recognizes allocas that must never be moved into a frame: inalloca arguments, stack slots that an intrinsic
   requires, and those that the frontend marks.
   Requires: an alloca of a function that verifies.
   Guarantees: the function is unchanged. */
#ifndef CORO_ANALYSIS_STACK_ONLY_ALLOCAS_H
#define CORO_ANALYSIS_STACK_ONLY_ALLOCAS_H

#include <stdbool.h>

#include "base/arena.h"
#include "ir/intrin.h"
#include "llvm-c/Core.h"

/* Whether a call passes its arguments in the alloca (inalloca). It must be the last stack allocation before that
   call. */
bool stack_only_for_arguments(LLVMValueRef alloca);
/* Why the alloca must be on the stack: it is such memory, or an intrinsic requires a stack slot. NULL: it may be in
   the frame. */
const char *stack_only_reason(struct coro_arena *arena, const struct intrin_table *table, LLVMValueRef alloca);
/* Whether the frontend or the target requires the alloca on the stack of each function that uses it. Its content is
   not live across a suspend. */
bool stack_only_by_request(LLVMValueRef alloca);

#endif
