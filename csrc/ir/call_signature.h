/* The signature of a function as IR text: calling convention, types and ABI-relevant attributes.
   Requires: LLVM-C. Guarantees: the module does not change. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Example: "cc 0 { ptr, i32 } (ptr, i1 zeroext)". NULL: out of memory. */
const char *ir_call_signature_text(struct coro_arena *arena, LLVMValueRef function);
