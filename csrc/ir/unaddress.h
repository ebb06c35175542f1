/* Lowers blockaddress and indirectbr to integers and a switch. Splitting clones blocks into several functions, so a
   block address has no meaning afterwards, but a number has.
   Requires: a function that verifies. Guarantees: it has no blockaddress and no indirectbr. */
#ifndef CORO_IR_UNADDRESS_H
#define CORO_IR_UNADDRESS_H

#include "base/map.h"
#include "llvm-c/Core.h"

bool unaddress_function(struct coro_arena *arena, LLVMValueRef function, bool *changed); /* false: out of memory */

/* True if the function has a blockaddress or indirectbr. */
bool unaddress_would(LLVMValueRef function);

#endif
