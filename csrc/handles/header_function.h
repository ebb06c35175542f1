/* The function in a slot of a coroutine's frame header, if the code before a call through the slot determines it.
   Requires: elided_frame, clones.
   Guarantees: the function is unchanged. The cost of a query is bounded. */
#ifndef CORO_HANDLES_HEADER_FUNCTION_H
#define CORO_HANDLES_HEADER_FUNCTION_H

#include "run/pass.h"

/* The result of llvm.coro.subfn.addr; NULL: not known. It is known in three cases:
   - the frame is an elided frame;
   - `function`, the caller, is f.resume and the frame is its own: it is called only while its address is in the slot;
   - a store before the call, in the same block or in a chain of single predecessors, writes the slot. */
LLVMValueRef header_function(struct pass_run *run, LLVMValueRef function, LLVMValueRef subfn_addr);

#endif
