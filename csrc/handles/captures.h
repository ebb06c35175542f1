/* Capture analysis of a pointer: the uses through which it may escape.
   Requires: ir.
   Guarantees: the function is unchanged. */
#ifndef CORO_HANDLES_CAPTURES_H
#define CORO_HANDLES_CAPTURES_H

#include "run/intrinsic_calls.h"

/* Whether a call is an optimizer hint or a sanitizer report, which do not capture the pointer. */
bool is_non_capturing_hint(LLVMValueRef call);

/* The uses that may capture the pointer: stores of it, returns, phis and selects, call arguments, and conversions to
   integers. An integer that is only compared, possibly after one mask, captures nothing. False: out of memory. */
bool find_capturing_uses(struct pass_run *run, LLVMValueRef pointer, pass_values *uses);

#endif
