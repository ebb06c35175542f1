/* Emission: where the edges of the source lead in one part.
   Needs: emission under way. Leaves: blocks of its own where a part leaves the function on an edge of the source. */
#ifndef CORO_EMIT_EDGES_H
#define CORO_EMIT_EDGES_H

#include "emit/emit.h"

/* Where this part goes from the end of `node` when the source goes to `block`. */
LLVMBasicBlockRef emit_successor(struct emit *e, uint32_t node, uint32_t block);
/* Likewise where `target` is a block of the source. */
LLVMBasicBlockRef emit_successor_of(struct emit *e, uint32_t node, LLVMBasicBlockRef target);
void emit_leave(struct emit *e, LLVMBuilderRef builder); /* the clone returns, at the position of `builder` */
/* The block at whose end control leaves `node`; the node's own, if what stands in it takes one block only. */
LLVMBasicBlockRef emit_exit(struct emit *e, uint32_t node);
void emit_settle_exit(struct emit *e,
                      uint32_t node); /* all but its last instruction is there; the builder goes there */
/* The block in which a clone is over; it returns, and nothing else. */
LLVMBasicBlockRef emit_over(struct emit *e);
/* Where an exception goes on that leaves the pad of llvm.coro.end `end` in a part that does not go on behind it. */
LLVMBasicBlockRef emit_way_out(struct emit *e, uint32_t end);
LLVMValueRef emit_pad(struct emit *e, uint32_t end); /* the copy of the pad that `end` is in */

#endif
