/* Addresses of blocks become numbers: a block of a coroutine has a copy in every part, so that its address means
   nothing once the coroutine is split, while a number means the same everywhere.
   Needs: a function that verifies. Leaves: one without blockaddress and indirectbr. */
#ifndef CORO_IR_UNADDRESS_H
#define CORO_IR_UNADDRESS_H

#include "base/map.h"
#include "llvm-c/Core.h"

bool unaddress_function(struct coro_arena *arena, LLVMValueRef function, bool *changed); /* false: memory ran out */

/* Whether the function has any of them. */
bool unaddress_would(LLVMValueRef function);

#endif
