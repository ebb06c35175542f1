/* Positions a builder at the head of a node's block, for reloads and rematerialized values. */
#include "emit/block_head.h"

bool head_is_pad_opcode_not_catchswitch(LLVMOpcode opcode)
{
  return opcode == LLVMLandingPad || opcode == LLVMCleanupPad || opcode == LLVMCatchPad;
}

uint32_t head_first_inst_after_phis_or_none(const struct emit *e, uint32_t node)
{
  uint32_t i = e->low->cfg.nodes[node].first, last = e->low->cfg.nodes[node].last;
  while (i < last && e->low->fn.opcode[i] == LLVMPHI)
    i++;
  return i < last ? i : IR_NONE;
}

/* A temporary instruction in an empty block. Reloads go before it in order of request, the node's own code after it. */
static LLVMValueRef add_placeholder_to_empty_block(struct emit *e, uint32_t node)
{
  LLVMPositionBuilderAtEnd(e->aside_builder, e->blocks[node]);
  (void)coro_vec_push(e->low->arena, &e->placeholders, node);
  return LLVMBuildFence(e->aside_builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

void head_erase_placeholders(struct emit *e)
{
  for (uint32_t i = 0; i < e->placeholders.count; i++) {
    LLVMValueRef *placeholder = &e->anchors[e->placeholders.items[i]];
    LLVMInstructionEraseFromParent(*placeholder);
    *placeholder = NULL;
  }
  e->placeholders.count = 0;
}

/* The first position in a node's block for a load: after phis and the pad. */
static LLVMValueRef head_first_load_position(struct emit *e, uint32_t node)
{
  if (!e->anchors[node]) {
    LLVMValueRef at = LLVMGetFirstInstruction(e->blocks[node]);
    while (at && LLVMGetInstructionOpcode(at) == LLVMPHI)
      at = LLVMGetNextInstruction(at);
    if (at && head_is_pad_opcode_not_catchswitch(LLVMGetInstructionOpcode(at)))
      at = LLVMGetNextInstruction(at);
    e->anchors[node] = at ? at : add_placeholder_to_empty_block(e, node);
  }
  return e->anchors[node];
}

void head_position_aside_builder(struct emit *e, uint32_t node)
{
  LLVMPositionBuilderBefore(e->aside_builder, head_first_load_position(e, node));
}

void head_position_aside_builder_at_phis(struct emit *e, uint32_t node)
{
  head_fix_first_load_position(
      e, node); /* in an empty block, records waiting for the first instruction would attach to a phi */
  LLVMPositionBuilderBeforeInstrAndDbgRecords(e->aside_builder, LLVMGetFirstInstruction(e->blocks[node]));
}

void head_fix_first_load_position(struct emit *e, uint32_t node)
{
  (void)head_first_load_position(e, node);
}
