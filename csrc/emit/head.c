/* Emission: the head of a node's block, where what is needed in the node is read or made again.
   Needs: emission under way. Leaves: a place in every block that was asked for, until all are filled. */
#include "emit/head.h"

bool head_is_pad(LLVMOpcode opcode)
{
  return opcode == LLVMLandingPad || opcode == LLVMCleanupPad || opcode == LLVMCatchPad;
}

uint32_t head_first(const struct emit *e, uint32_t node)
{
  uint32_t i = e->low->cfg.nodes[node].first, last = e->low->cfg.nodes[node].last;
  while (i < last && e->low->fn.opcode[i] == LLVMPHI)
    i++;
  return i < last ? i : IR_NONE;
}

/* In a block that is still empty: what is placed at its head comes before this, in the order in which it was asked for,
   and what the node itself does comes behind it. */
static LLVMValueRef stand_in(struct emit *e, uint32_t node)
{
  LLVMPositionBuilderAtEnd(e->aside, e->blocks[node]);
  (void)coro_vec_push(e->low->arena, &e->stand_ins, node);
  return LLVMBuildFence(e->aside, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

void head_drop_stand_ins(struct emit *e)
{
  for (uint32_t i = 0; i < e->stand_ins.count; i++) {
    LLVMValueRef *anchor = &e->anchors[e->stand_ins.items[i]];
    LLVMInstructionEraseFromParent(*anchor);
    *anchor = NULL;
  }
  e->stand_ins.count = 0;
}

/* The first place in a node's block where a load can stand: behind phis and the pad. */
static LLVMValueRef anchor(struct emit *e, uint32_t node)
{
  if (!e->anchors[node]) {
    LLVMValueRef at = LLVMGetFirstInstruction(e->blocks[node]);
    while (at && LLVMGetInstructionOpcode(at) == LLVMPHI)
      at = LLVMGetNextInstruction(at);
    if (at && head_is_pad(LLVMGetInstructionOpcode(at)))
      at = LLVMGetNextInstruction(at);
    e->anchors[node] = at ? at : stand_in(e, node);
  }
  return e->anchors[node];
}

void head_move_to(struct emit *e, uint32_t node)
{
  LLVMPositionBuilderBefore(e->aside, anchor(e, node));
}

void head_move_to_phis(struct emit *e, uint32_t node)
{
  head_keep(e, node); /* in an empty block a phi would take the records that wait for its first instruction */
  LLVMPositionBuilderBeforeInstrAndDbgRecords(e->aside, LLVMGetFirstInstruction(e->blocks[node]));
}

void head_keep(struct emit *e, uint32_t node)
{
  (void)anchor(e, node);
}
