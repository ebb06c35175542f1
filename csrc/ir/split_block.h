/* Splits a block in two.
   Requires: LLVM-C. Guarantees: equivalent code. Failed allocations are recorded in the arena. */
#ifndef CORO_IR_SPLIT_BLOCK_H
#define CORO_IR_SPLIT_BLOCK_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Moves the instruction and those after it to a new block, which is returned. The old block branches to the new one. */
LLVMBasicBlockRef split_block(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef first, const char *name);

#endif
