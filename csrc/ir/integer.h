/* Integers of up to 128 bits as LLVM's instructions compute with them: the bits past the width are zero.
   Requires: LLVM-C. Guarantees: no side effects. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

static inline u128 integer_mask(unsigned width)
{
  return width >= 128 ? ~(u128)0 : ((u128)1 << width) - 1;
}

static inline i128 integer_signed(u128 bits, unsigned width)
{
  unsigned unused = 128 - width;
  return (i128)(bits << unused) >> unused;
}

/* The result of an icmp without samesign. */
static inline bool integer_compare(LLVMIntPredicate predicate, u128 a, u128 b, unsigned width)
{
  i128 x = integer_signed(a, width), y = integer_signed(b, width);
  switch (predicate) {
  case LLVMIntEQ: return a == b;
  case LLVMIntNE: return a != b;
  case LLVMIntUGT: return a > b;
  case LLVMIntUGE: return a >= b;
  case LLVMIntULT: return a < b;
  case LLVMIntULE: return a <= b;
  case LLVMIntSGT: return x > y;
  case LLVMIntSGE: return x >= y;
  case LLVMIntSLT: return x < y;
  case LLVMIntSLE: return x <= y;
  }
  return false;
}
