/* Replaces the addresses of a function's blocks by addresses in a global of the function's own, one byte a block, and
   every indirectbr by a switch on the offset in that global. A block of a coroutine has a copy in each clone, so that its
   own address means nothing once the coroutine is split. The address in the global is the same everywhere, and differs
   from that of every other object and of every block of another function.
   Requires: a function that verifies. Guarantees: it has no blockaddress and no indirectbr. */
#ifndef CORO_IR_UNADDRESS_H
#define CORO_IR_UNADDRESS_H

#include "base/map.h"
#include "llvm-c/Core.h"

bool unaddress_function(struct coro_arena *arena, LLVMValueRef function, bool *changed); /* false: out of memory */

/* True if the function has a blockaddress or indirectbr. */
bool unaddress_would(LLVMValueRef function);

#endif
