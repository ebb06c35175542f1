/* Async function pointers of the Swift async ABI: globals that hold {relative offset of the function, size of its
   context}. Coroutine function pointers of the dynamic returned-continuation ABI have the same form, with the size of
   the frame, and optionally a type id for allocators.
   Requires: LLVM-C. Guarantees: only the size field of an initializer changes. */
#pragma once

#include "llvm-c/Core.h"

/* Strips casts from `operand` and returns the global, or NULL if it is not an async function pointer of this module. */
LLVMValueRef async_pointer(LLVMValueRef operand);
LLVMValueRef async_pointer_size(LLVMValueRef global); /* an integer constant */
void async_pointer_set_context_size(LLVMValueRef global, LLVMValueRef size);
/* Stores the size if it is larger. Coroutines may share a pointer; it then holds the maximum. */
void async_pointer_raise_context_size(LLVMValueRef global, uint64_t size);
