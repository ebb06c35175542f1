/* Async function pointers: globals that hold {offset of the function from here, size of the context it needs}.
   Needs: LLVM-C. Leaves: globals whose initialiser differs in the size alone. */
#ifndef CORO_IR_ASYNC_POINTER_H
#define CORO_IR_ASYNC_POINTER_H

#include "llvm-c/Core.h"

/* The global behind `operand`, or NULL: it is no async function pointer of this module. */
LLVMValueRef async_pointer(LLVMValueRef operand);
LLVMValueRef async_pointer_size(LLVMValueRef global); /* a constant of integer type */
void async_pointer_set_size(LLVMValueRef global, LLVMValueRef size);

#endif
