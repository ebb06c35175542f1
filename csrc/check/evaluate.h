/* Computes the values and successors that depend on a constant, without the folding that the lowering uses: a checker
   that shares it would prove its bugs.
   Requires: LLVM-C.
   Guarantees: the IR is unchanged. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"

/* Does the same as constant_successor_or_unknown of ir/constant_fold.h, which still decides what is not
   computed here: integers of more than 64 bits, and intrinsics. */
unsigned evaluate_successor(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant);
/* Does the same as constant_fold_to_integer_assuming. */
LLVMValueRef evaluate_value(LLVMValueRef value, LLVMValueRef source, LLVMValueRef constant);
/* Whether the machine computes what the other functions do if `source` is `constant`. It may compute another value from
   an element of a vector that is undef or poison, from frozen poison, and from the bits of a NaN. */
bool evaluate_is_never_undef_or_poison(LLVMValueRef value, LLVMValueRef source, LLVMValueRef constant);
/* evaluate_successor if `value` is a constant integer and the result certain; else CONSTANT_SUCCESSOR_UNKNOWN. */
unsigned evaluate_successor_if_never_undef(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef value);
