/* Computes constant byte offsets of addresses from their base.
   Requires: size.
   Guarantees: the IR does not change. */
#pragma once

#include "ir/size.h"

/* Offsets wrap, as LLVM's do. */
static inline int64_t ir_offset_sum(int64_t one, int64_t other)
{
  return (int64_t)((uint64_t)one + (uint64_t)other);
}

static inline int64_t ir_offset_from(int64_t one, int64_t other)
{
  return (int64_t)((uint64_t)other - (uint64_t)one);
}

/* Sets *offset for a cast, or a getelementptr with constant indices, in bytes from its pointer operand. False:
   another instruction, or a type without a fixed size. */
bool ir_constant_offset_from_operand(struct ir_sizes *sizes, LLVMValueRef address, int64_t *offset);

struct ir_location {
  LLVMValueRef base;
  int64_t offset; /* in bytes */
};
/* Strips casts and getelementptrs with constant indices. */
struct ir_location ir_base_and_constant_offset(struct ir_sizes *sizes, LLVMValueRef address);
