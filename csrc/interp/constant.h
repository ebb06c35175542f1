/* Evaluates LLVM constants to cells (interpreter values), memoized.
   Requires: addresses of globals and functions.
   Guarantees: each constant is evaluated once. */
#pragma once

#include "interp/state.h"

const struct cell *constant_value_cells_or_null(struct interp *in, LLVMValueRef constant); /* unsupported or failed */
