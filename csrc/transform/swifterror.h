/* Creates detached swifterror allocas and detects swifterror values, which LLVM-C does not support.
   Requires: LLVM-C. Guarantees: the module does not change. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"

/* A detached `alloca swifterror ptr`, aligned to `align` bytes. */
LLVMValueRef ir_create_detached_swifterror_alloca(LLVMContextRef context, uint64_t align);
/* True for a swifterror argument, or an alloca passed as one. An alloca that is only loaded and stored need not be
   swifterror. */
bool ir_is_swifterror(LLVMValueRef value);
/* The swifterror parameter of `function`, or NULL. */
LLVMValueRef ir_swifterror_param(LLVMValueRef function);
