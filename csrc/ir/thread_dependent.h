/* Detects values that depend on the current thread. They must not stay in the frame across a suspend, because another
   thread may resume the coroutine.
   Requires: LLVM-C. Guarantees: the module does not change. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"

/* True if an operand is a thread-local variable or a constant computed from its address. Constants too large to
   search count as such. */
bool ir_has_thread_local_constant_operand(LLVMValueRef instruction);
