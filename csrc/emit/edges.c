/* Maps presplit CFG edges to blocks of the emitted function; see edges.h. */
#include "emit/edges.h"

#include "emit/lookup.h"

void emit_clone_return(struct emit *e, LLVMBuilderRef builder)
{
  if (e->hooks->build_return)
    e->hooks->build_return(e, builder);
  else
    LLVMBuildRetVoid(builder);
}

/* May be called before the node is copied; then an empty block is created if the node may need several. */
LLVMBasicBlockRef emit_get_or_append_exit_block(struct emit *e, uint32_t node)
{
  if (!e->exits[node])
    e->exits[node] = e->hooks->many_blocks ? emit_append_block(e, "exit") : e->blocks[node];
  return e->exits[node];
}

void emit_branch_to_and_record_exit_block(struct emit *e, uint32_t node)
{
  LLVMBasicBlockRef insert_block = LLVMGetInsertBlock(e->builder);
  if (e->exits[node] && e->exits[node] != insert_block) {
    LLVMBuildBr(e->builder, e->exits[node]);
    LLVMPositionBuilderAtEnd(e->builder, e->exits[node]);
  }
  e->exits[node] = LLVMGetInsertBlock(e->builder);
}

LLVMBasicBlockRef emit_get_block_of_presplit_edge(struct emit *e, uint32_t node, uint32_t block)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  uint32_t to = cfg->first_node[block], end = pads_end_of_exited_pad(&cfg->pads, cfg->nodes[node].last - 1);
  if (end != IR_NONE && !cfg_has_edge(cfg, node, to, e->clone_kind))
    return emit_end_pad(e, end);
  return e->blocks[to];
}

LLVMBasicBlockRef emit_get_block_of_presplit_target(struct emit *e, uint32_t node, LLVMBasicBlockRef target)
{
  return emit_get_block_of_presplit_edge(e, node, ir_block_id(&e->low->fn, target));
}

static uint32_t presplit_value_of_pad_of_end(const struct emit *e, uint32_t end)
{
  return ir_value_of_inst(&e->low->fn, cleanuppad_of_end_or_none(&e->low->fn, end));
}

LLVMValueRef emit_get_copy_of_pad_of_end(struct emit *e, uint32_t end)
{
  return e->values[presplit_value_of_pad_of_end(e, end)];
}

/* Lowers an llvm.coro.end of a presplit cleanup pad: creates a new cleanup pad for this end alone, which replaces
   the presplit pad on this path. */
static void emit_end_in_own_cleanuppad(struct emit *e, uint32_t end)
{
  const struct ir_fn *fn = &e->low->fn;
  uint32_t pad = presplit_value_of_pad_of_end(e, end), source = ir_inst_of_value(fn, pad);
  LLVMValueRef saved_value = e->values[pad];
  uint32_t parent_value = fn->operands[fn->operand_start[source + 1] - 1];
  LLVMValueRef parent =
      parent_value == IR_NONE ? NULL : emit_value_at_node(e, parent_value, e->low->cfg.node_of_inst[source]);
  uint32_t saved_pad = e->pad;
  bool ended = e->returned;
  e->pad = pad;
  e->values[pad] = LLVMBuildCleanupPad(e->builder, parent, NULL, 0, "");
  (void)e->hooks->intrinsic(e, end, (enum intrin)e->low->shape.intrin[end]); /* the arena records the failure */
  e->values[pad] = saved_value;
  e->pad = saved_pad;
  e->returned = ended;
}

LLVMBasicBlockRef emit_end_pad(struct emit *e, uint32_t end)
{
  for (uint32_t i = 0; i < e->end_pads.count; i++)
    if (e->end_pads.items[i].end == end)
      return e->end_pads.items[i].block;
  LLVMBasicBlockRef insert_block = LLVMGetInsertBlock(e->builder);
  LLVMBasicBlockRef block = emit_append_block(e, "end.pad");
  (void)coro_vec_push(e->low->arena, &e->end_pads, ((struct emit_end_pad){end, block}));
  LLVMPositionBuilderAtEnd(e->builder, block);
  emit_end_in_own_cleanuppad(e, end);
  LLVMPositionBuilderAtEnd(e->builder, insert_block);
  return block;
}
