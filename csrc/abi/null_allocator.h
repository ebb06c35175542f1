/* Creates the functions that allocate memory if the caller of a dynamic returned-continuation coroutine
   (llvm.coro.id.retcon.once.dynamic) passes null as the allocator.
   Requires: emission in progress.
   Guarantees: functions f.allocate and f.deallocate, created when first used. */
#pragma once

#include "emit/emit.h"

/* A function of the type of operand `index` of the coroutine's id, whose parameter number `pointers` - 1 is the
   caller's allocator. It is the operand itself unless the allocator may be null. */
LLVMValueRef allocation_function_accepting_null_allocator(struct emit *e, unsigned index, unsigned pointers);
