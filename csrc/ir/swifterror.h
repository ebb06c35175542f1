/* Variables for swifterror, which LLVM-C can neither make nor tell from others.
   Needs: LLVM-C. Leaves: the module as it was. */
#ifndef CORO_IR_SWIFTERROR_H
#define CORO_IR_SWIFTERROR_H

#include <stdbool.h>

#include "llvm-c/Core.h"

/* An `alloca swifterror ptr` that stands nowhere yet, aligned to `align` bytes. */
LLVMValueRef ir_swifterror_alloca(LLVMContextRef context, uint64_t align);
/* An argument that is a swifterror, or a variable that is passed on as one. Of a variable that is only loaded and
   stored it makes no difference. */
bool ir_is_swifterror(LLVMValueRef value);
/* The parameter of `function` that is a swifterror; NULL where there is none. */
LLVMValueRef ir_swifterror_param(LLVMValueRef function);

#endif
