/* Moves each llvm.coro.free down to the first instruction of its block that uses its result, over accesses of memory.
   coro-split frees the heap blocks of allocas at llvm.coro.free, so that no access of an alloca may follow it:

     %freed = call ptr @llvm.coro.free(token %id, ptr %handle)
     call void @use(ptr %alloca)
     call void @free(ptr %freed)       ; the llvm.coro.free is moved to here

   Requires: a coroutine before coro-split. Guarantees: linear in the sizes of the blocks. */
#pragma once

#include "run/intrinsic_calls.h"

/* Sets *changed if any of these calls was moved. False: out of memory. */
bool sink_coro_frees(const struct pass_run *run, LLVMBuilderRef builder, const pass_values *frees, bool *changed);
