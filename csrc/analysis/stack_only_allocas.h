/* Recognizes allocas that must never be moved into a frame: inalloca arguments, stack slots that an intrinsic
   requires, and those that the frontend marks.
   Requires: an alloca of a function that verifies.
   Guarantees: the function is unchanged. */
#pragma once

#include <stdbool.h>

#include "base/bits.h"
#include "ir/intrin.h"
#include "ir/number.h"
#include "llvm-c/Core.h"

/* Finds the values that are `alloca inalloca`, memory in which a call passes its arguments. It must be the last stack
   allocation before that call. False: out of memory. */
bool stack_only_find_inalloca_allocas(struct coro_bits *found, struct coro_arena *arena, const struct ir_fn *fn);
/* The intrinsic that requires the alloca on the stack, as a reason. NULL: none does. */
const char *stack_only_reason(struct coro_arena *arena, const struct intrin_table *table, LLVMValueRef alloca);
/* Whether the frontend or the target requires the alloca on the stack of each function that uses it. Its content is
   not live across a suspend. */
bool stack_only_is_required_by_pad_or_metadata(LLVMValueRef alloca);
