/* The result of an integer comparison of two constants.
   Requires: LLVM-C. */
#ifndef CORO_IR_INTEGER_COMPARE_H
#define CORO_IR_INTEGER_COMPARE_H

#include <stdbool.h>

#include "llvm-c/Core.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* The operands zero-extended, and sign-extended, from their type. */
static inline bool integer_compare(LLVMIntPredicate predicate, u128 a, u128 b, i128 signed_a, i128 signed_b)
{
  switch (predicate) {
  case LLVMIntEQ: return a == b;
  case LLVMIntNE: return a != b;
  case LLVMIntUGT: return a > b;
  case LLVMIntUGE: return a >= b;
  case LLVMIntULT: return a < b;
  case LLVMIntULE: return a <= b;
  case LLVMIntSGT: return signed_a > signed_b;
  case LLVMIntSGE: return signed_a >= signed_b;
  case LLVMIntSLT: return signed_a < signed_b;
  case LLVMIntSLE: return signed_a <= signed_b;
  }
  return false;
}

#endif
