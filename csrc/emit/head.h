/* Emission: the head of a node's block, where what is needed in the node is read or made again.
   Needs: emission under way. Leaves: a place in every block that was asked for, until all are filled. */
#ifndef CORO_EMIT_HEAD_H
#define CORO_EMIT_HEAD_H

#include "emit/emit.h"

uint32_t head_first(const struct emit *e, uint32_t node); /* the node's first instruction behind phis, or IR_NONE */
bool head_is_pad(LLVMOpcode opcode); /* nothing may stand between the phis and the pad of a block */
/* Moves `aside` to the first place in the node's block where a load or a store can stand: before what the node itself
   does, and behind what was placed there already. */
void head_move_to(struct emit *e, uint32_t node);
void head_move_to_phis(struct emit *e, uint32_t node); /* to where one more can stand */
/* What is placed at the head from now on comes before what the builder adds to the node's block, records too. */
void head_keep(struct emit *e, uint32_t node);
void head_drop_stand_ins(struct emit *e);

#endif
