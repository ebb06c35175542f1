/* Maps presplit CFG edges to blocks of a clone.
   Requires: emission in progress.
   Guarantees: a separate block where the clone returns on a presplit edge. */
#ifndef CORO_EMIT_EDGES_H
#define CORO_EMIT_EDGES_H

#include "emit/emit.h"

/* The clone's block for the presplit edge from the end of `node` to `block`. */
LLVMBasicBlockRef emit_successor(struct emit *e, uint32_t node, uint32_t block);
/* The same for a presplit block `target`. */
LLVMBasicBlockRef emit_successor_of(struct emit *e, uint32_t node, LLVMBasicBlockRef target);
void emit_clone_return(struct emit *e,
                       LLVMBuilderRef builder); /* builds the clone's return at the position of `builder` */
/* The clone's block that ends `node`; the node's first block if its instructions need only one. */
LLVMBasicBlockRef emit_exit(struct emit *e, uint32_t node);
void emit_settle_exit(struct emit *e,
                      uint32_t node); /* call when only its terminator is missing; positions the builder at the end */
/* The block of a clone that only returns. */
LLVMBasicBlockRef emit_return_block(struct emit *e);
/* Unwind destination for an exception that leaves the pad of llvm.coro.end `end`, in a clone that ends there. */
LLVMBasicBlockRef emit_end_pad(struct emit *e, uint32_t end);
LLVMValueRef emit_pad(struct emit *e, uint32_t end); /* the clone's copy of the pad that contains `end` */

#endif
