/* Splits a block. Debug records cannot leave their block, so the old block becomes the last part. The new blocks have
   copies of their records; copies of those with several values have no location. The records themselves follow at the
   start of the last part, where the variables still have these values.
   Requires: debug_records. Guarantees: equivalent code. Nothing changes if memory runs out. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Splits a block before `firsts`, which are instructions of it in program order and no phis. The first part is a new
   block with the name and the predecessors of the old one; the others are named `name`. Each branches to the next.
   Linear in the size of the block. The builder has no debug location afterwards. False: out of memory. */
bool split_block_before_each(struct coro_arena *arena, LLVMBuilderRef builder, const LLVMValueRef *firsts,
                             uint32_t count, const char *name);
/* Splits a block in two before the instruction, and moves the second part to the end of the function. Returns the first
   part, the new block. NULL: out of memory. */
LLVMBasicBlockRef split_block(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef first, const char *name);
/* Moves an instruction to the builder's position, and leaves its debug records. */
void split_move_instruction_without_records(LLVMBuilderRef builder, LLVMValueRef instruction);
