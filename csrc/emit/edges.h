/* Maps presplit CFG edges to blocks of the emitted function, and the end of each node to the block that has it.
   Requires: emission in progress.
   Guarantees: if a clone returns at an llvm.coro.end in a cleanup pad, the pad's other unwind edges lead to a cleanup
   pad for that end alone. */
#pragma once

#include "emit/emit.h"

/* The function's block for the presplit edge from the end of `node` to `block`. */
LLVMBasicBlockRef emit_get_block_of_presplit_edge(struct emit *e, uint32_t node, uint32_t block);
/* The same for a presplit block `target`. */
LLVMBasicBlockRef emit_get_block_of_presplit_target(struct emit *e, uint32_t node, LLVMBasicBlockRef target);
void emit_clone_return(struct emit *e,
                       LLVMBuilderRef builder); /* builds the clone's return at the position of `builder` */
/* The function's block that ends `node`; the node's first block if its instructions need only one. */
LLVMBasicBlockRef emit_get_or_append_exit_block(struct emit *e, uint32_t node);
void emit_branch_to_and_record_exit_block(
    struct emit *e, uint32_t node); /* call when only its terminator is missing; positions the builder at the end */
/* The cleanup pad that lowers the llvm.coro.end `end` for unwind edges that leave the presplit pad of that end before
   it is executed. Created on first use, in a clone that returns at the end. */
LLVMBasicBlockRef emit_end_pad(struct emit *e, uint32_t end);
/* The function's copy of the pad that contains `end`. */
LLVMValueRef emit_get_copy_of_pad_of_end(struct emit *e, uint32_t end);
