/* Constant folding under an assumption: the constant that a value is, and the successor that a terminator takes, if
   one value that they are computed from (the result of a suspend, a phi) is a given constant. It sees through casts,
   integer arithmetic, comparisons, select, freeze and the integer intrinsics of llvm.umin's kind, between integers. A
   value costs at most CONSTANT_FOLD_STEPS instructions.
   Requires: LLVM-C. Guarantees: the function is not modified. */
#ifndef CORO_IR_CONSTANT_FOLD_H
#define CORO_IR_CONSTANT_FOLD_H

#include <limits.h>
#include <stdbool.h>

#include "llvm-c/Core.h"

enum { CONSTANT_FOLD_STEPS = 64 };
#define CONSTANT_SUCCESSOR_UNKNOWN UINT_MAX

/* An integer that is computed from its operands alone, by an operation that is folded here. */
bool constant_fold_is_possible(LLVMValueRef instruction);
/* The only value that is no constant and that `value` is computed from; NULL: there is none, or more than one. */
LLVMValueRef constant_fold_source(LLVMValueRef value);
/* The constant integer that `value` is if `source` is `constant`; NULL: not known. `source` may be NULL. */
LLVMValueRef constant_fold(LLVMValueRef value, LLVMValueRef source, LLVMValueRef constant);
/* The index of the successor that a branch or switch takes if `source` is `constant`; CONSTANT_SUCCESSOR_UNKNOWN if it
   chooses by a value that is not known then, or not by a value. */
unsigned constant_successor(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant);

#endif
