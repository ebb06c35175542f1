/* Evaluates LLVM constants to cells (interpreter values), memoized.
   Requires: addresses of globals and functions.
   Guarantees: each constant is evaluated once. */
#ifndef CORO_INTERP_CONSTANT_H
#define CORO_INTERP_CONSTANT_H

#include "interp/state.h"

const struct cell *constant_value_cells(struct interp *in, LLVMValueRef constant); /* NULL: unsupported, or failed */

#endif
