/* Maps presplit CFG edges to blocks of the emitted function, including blocks for edges that only exist there.
   Requires: emission in progress.
   Guarantees: presplit edges on which a clone returns lead to one block, which only returns. */
#ifndef CORO_EMIT_EDGES_H
#define CORO_EMIT_EDGES_H

#include "emit/emit.h"

/* The function's block for the presplit edge from the end of `node` to `block`. */
LLVMBasicBlockRef emit_block_of_presplit_edge(struct emit *e, uint32_t node, uint32_t block);
/* The same for a presplit block `target`. */
LLVMBasicBlockRef emit_successor_of(struct emit *e, uint32_t node, LLVMBasicBlockRef target);
void emit_clone_return(struct emit *e,
                       LLVMBuilderRef builder); /* builds the clone's return at the position of `builder` */
/* The function's block that ends `node`; the node's first block if its instructions need only one. */
LLVMBasicBlockRef emit_last_block_of_node(struct emit *e, uint32_t node);
void emit_record_exit(struct emit *e,
                      uint32_t node); /* call when only its terminator is missing; positions the builder at the end */
/* In a clone that returns at llvm.coro.end `end`: the unwind destination for other exceptions that leave the pad of
   that end. */
LLVMBasicBlockRef emit_end_pad(struct emit *e, uint32_t end);
/* The function's copy of the pad that contains `end`. */
LLVMValueRef emit_copy_of_pad_of_end(struct emit *e, uint32_t end);

#endif
