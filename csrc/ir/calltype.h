/* How a function is called, in LLVM's language: what a call has to repeat of its callee.
   Needs: LLVM-C. Leaves: the module as it was. */
#ifndef CORO_IR_CALLTYPE_H
#define CORO_IR_CALLTYPE_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* "cc 0 { ptr, i32 } (ptr, i1 zeroext)": convention, result, and parameters with those attributes that a caller must
   know of. NULL: memory ran out. */
const char *ir_call_type(struct coro_arena *arena, LLVMValueRef function);

#endif
