/* Classifies what an instruction does with a pointer operand (capture analysis of one use).
   Requires: number. */
#ifndef CORO_ANALYSIS_POINTER_USE_H
#define CORO_ANALYSIS_POINTER_USE_H

#include "analysis/shape.h"

enum pointer_use {
  POINTER_READ,     /* reads the content, or compares the address */
  POINTER_WRITTEN,  /* may write the content */
  POINTER_ALIAS,    /* the result is, or contains, the address */
  POINTER_ESCAPES,  /* captures the address */
  POINTER_LIFETIME_START,
  POINTER_LIFETIME_END,
  POINTER_IGNORED   /* a coroutine intrinsic without access */
};

enum pointer_use pointer_use_of(const struct ir_fn *fn, const struct coro_shape *shape, uint32_t inst,
                                LLVMValueRef address);
/* Whether the result is the address plus a constant, so it can be rematerialized anywhere. */
bool pointer_is_constant_alias(LLVMValueRef inst);

#endif
