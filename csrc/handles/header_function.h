/* The function in a slot of a coroutine's frame header (0: resume, 1: destroy), if the code before a call through the
   slot determines it.
   Requires: elided_frame, clones.
   Guarantees: the function is unchanged. A query visits at most 64 instructions before the call, and for f.resume the
   uses of the function. */
#pragma once

#include "run/pass.h"

/* The result of llvm.coro.subfn.addr; NULL: not known. It is known in three cases:
   - the frame is an elided frame;
   - `function`, the caller, is f.resume, the frame is its parameter, and the slot is the resume slot. This slot holds
     f.resume until the final suspend. Then it is null, but a resume then has undefined behavior;
   - a store before the call, in the same block or in a chain of single predecessors, writes the slot, and no
     instruction between them may write to it. */
LLVMValueRef header_function(struct pass_run *run, LLVMValueRef function, LLVMValueRef subfn_addr);
