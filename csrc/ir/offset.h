/* Offsets: how far an address is from the one that it is made of.
   Needs: size. Leaves: nothing changed. */
#ifndef CORO_IR_OFFSET_H
#define CORO_IR_OFFSET_H

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

/* Of an instruction that gives an address: a cast, or getelementptr with constants; in bytes, from its base. False: it
   is neither, or what it steps over has no size. */
bool ir_constant_offset(struct ir_sizes *sizes, LLVMValueRef address, int64_t *offset);

#endif
