/* Constant folding under an assumption: if one value (the result of a suspend, a phi) is a given constant, computes the
   constant that a dependent value is, and the successor that a terminator takes. Folds casts, arithmetic and
   comparisons of integers, floating-point numbers and vectors, casts and comparisons of pointers, select, freeze,
   single elements of vectors, and integer intrinsics such as llvm.umin and llvm.expect; no bitcast that changes the
   number of elements of a vector, whose order depends on the target. A value costs at most CONSTANT_FOLD_STEPS
   instructions.
   Requires: LLVM-C.
   Guarantees: the function is unchanged. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "llvm-c/Core.h"

enum { CONSTANT_FOLD_STEPS = 64 };
#define CONSTANT_SUCCESSOR_UNKNOWN UINT_MAX

/* Whether the instruction is an operation that is folded here, and depends on its operands only. */
bool constant_fold_supports_instruction(LLVMValueRef instruction);
/* The only non-constant value that `value` depends on; NULL: none, or more than one. */
LLVMValueRef constant_fold_single_source_or_null(LLVMValueRef value);
/* The constant integer that `value` is if `source` is `constant`; NULL: unknown. `source` may be NULL. */
LLVMValueRef constant_fold_to_integer_assuming(LLVMValueRef value, LLVMValueRef source, LLVMValueRef constant);
/* The value that alone decides the successor of a branch or switch, possibly through casts and comparisons; NULL:
   none, or more than one. */
LLVMValueRef constant_successor_single_source_or_null(LLVMValueRef terminator);
/* The same, if it is a phi of the terminator's block, so that a constant on an edge to the block decides; else NULL. */
LLVMValueRef constant_successor_own_phi_or_null(LLVMBasicBlockRef block);
/* The constant that the condition of a branch or switch is if `source` is `constant`; NULL: unknown, or it has none. */
LLVMValueRef constant_branch_operand_or_null(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant);
/* The index of the successor that a branch or switch takes if `source` is `constant`; CONSTANT_SUCCESSOR_UNKNOWN if
   its condition is still unknown, or it has none. */
unsigned constant_successor_or_unknown(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant);
