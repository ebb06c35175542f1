/* Copies presplit instructions into the function, or replaces them by calls. */
#include "emit/copy.h"

#include "check/witness.h"
#include "emit/deferred_spill.h"
#include "emit/edges.h"
#include "emit/frame_address.h"
#include "emit/lookup.h"
#include "emit/name.h"
#include "emit/swifterror.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

void emit_define_without_spill(struct emit *e, uint32_t inst, LLVMValueRef copy)
{
  e->values[ir_value_of_inst(&e->low->fn, inst)] = copy;
  witness_record_result_if_no_entry(e->low->witness, copy, inst);
}

void emit_define_and_spill_at_node(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node)
{
  emit_define_without_spill(e, inst, copy);
  emit_or_defer_spill_of_definition(e, ir_value_of_inst(&e->low->fn, inst), node);
}

static void map_operands_of_copy(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node)
{
  const struct ir_fn *fn = &e->low->fn;
  const uint32_t *operands = fn->operands + fn->operand_start[inst];
  uint32_t count = fn->operand_start[inst + 1] - fn->operand_start[inst];
  for (uint32_t k = 0; k < count; k++) {
    if (operands[k] == IR_NONE)
      continue;
    if (operands[k] & IR_BLOCK)
      LLVMSetOperand(copy, k, LLVMBasicBlockAsValue(emit_get_block_of_presplit_edge(e, node, operands[k] & ~IR_BLOCK)));
    else
      LLVMSetOperand(copy, k, emit_value_at_node(e, operands[k], node));
  }
}

/* The result of an invoke is only available on its normal edge, so the spill needs a block on that edge. */
static void define_invoke_and_spill_on_normal_edge(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node)
{
  uint32_t value = ir_value_of_inst(&e->low->fn, inst);
  uint32_t error = swifterror_changed_by_inst_or_none(e, inst);
  e->values[value] = copy;
  if ((e->low->frame.of_value[value] == IR_NONE && error == IR_NONE) ||
      !cfg_may_spill(&e->low->cfg, e->clone_kind, node))
    return;
  LLVMBasicBlockRef normal = LLVMGetNormalDest(copy);
  e->normal_edge_blocks[node] = LLVMInsertBasicBlockInContext(e->low->context, normal, "spill");
  LLVMSetNormalDest(copy, e->normal_edge_blocks[node]);
  LLVMPositionBuilderAtEnd(e->builder, e->normal_edge_blocks[node]);
  emit_store_spill_if_field(e, e->builder, value);
  swifterror_store_to_frame_if_used_later(e, error, node);
  LLVMBuildBr(e->builder, normal);
}

void emit_define_and_spill(struct emit *e, uint32_t inst, LLVMValueRef copy)
{
  uint32_t node = e->low->cfg.node_of_inst[inst];
  if (e->low->fn.opcode[inst] == LLVMInvoke)
    define_invoke_and_spill_on_normal_edge(e, inst, copy, node);
  else
    emit_define_and_spill_at_node(e, inst, copy, node);
}

static void define_is_in_ramp(struct emit *e, uint32_t inst)
{
  LLVMTypeRef type = LLVMTypeOf(e->low->fn.insts[inst]);
  emit_define_and_spill(e, inst, LLVMConstInt(type, e->clone_kind == CLONE_RAMP, false));
}

/* Whether no other function needs the presplit instruction. The ramp is emitted last. Coroutine intrinsics remain,
   because the lowering of others reads their operands, and so do instructions with debug records: LLVM leaks the
   records of a block without terminator. */
static bool may_move_instruction(const struct emit *e, uint32_t inst, uint32_t node)
{
  return e->low->moves_instructions && !intrin_is_coro((enum intrin)e->low->shape.intrin[inst]) &&
         !LLVMGetFirstDbgRecord(e->low->fn.insts[inst]) &&
         (emit_in_place(e) || (e->low->cfg.nodes[node].clone_kinds == e->clone_kind && e->clone_kind != CLONE_RAMP &&
                               e->landing == IR_NONE));
}

static LLVMValueRef move_or_clone_instruction(struct emit *e, uint32_t inst, uint32_t node)
{
  LLVMValueRef source = e->low->fn.insts[inst];
  if (may_move_instruction(e, inst, node)) {
    edit_move_instruction(e->low->arena, e->builder, source);
    return source;
  }
  LLVMValueRef copy = LLVMInstructionClone(source);
  LLVMInsertIntoBuilder(e->builder, copy);
  move_or_copy_name_from_source(e, copy, source);
  return copy;
}

LLVMValueRef emit_copy_define_and_spill(struct emit *e, uint32_t inst)
{
  uint32_t node = e->low->cfg.node_of_inst[inst];
  LLVMValueRef copy = move_or_clone_instruction(e, inst, node);
  map_operands_of_copy(e, inst, copy, node);
  witness_record_counterpart(e->low->witness, copy, WITNESS_COPY, inst);
  if (e->low->fn.opcode[inst] == LLVMInvoke) {
    define_invoke_and_spill_on_normal_edge(e, inst, copy, node);
    return copy;
  }
  e->values[ir_value_of_inst(&e->low->fn, inst)] = copy;
  emit_or_defer_spill_of_definition(e, ir_value_of_inst(&e->low->fn, inst), node);
  swifterror_store_to_frame_if_used_later(e, swifterror_changed_by_inst_or_none(e, inst), node);
  return copy;
}

void emit_common_intrinsic_or_copy(struct emit *e, uint32_t inst, enum intrin intrin)
{
  switch (intrin) {
  case INTRIN_FRAME:
  case INTRIN_SIZE:
  case INTRIN_ALIGN: break; /* looked up at its uses */
  case INTRIN_IS_IN_RAMP: define_is_in_ramp(e, inst); break;
  default: emit_copy_define_and_spill(e, inst);
  }
}

LLVMValueRef emit_replace_by_call(struct emit *e, uint32_t inst, const struct emit_callee *callee,
                                  LLVMBasicBlockRef normal)
{
  LLVMValueRef source = e->low->fn.insts[inst], call;
  uint32_t node = e->low->cfg.node_of_inst[inst];
  if (e->low->fn.opcode[inst] == LLVMInvoke)
    call = emit_invoke_as(e, callee,
                          normal ? normal : emit_get_block_of_presplit_target(e, node, LLVMGetNormalDest(source)),
                          emit_get_block_of_presplit_target(e, node, LLVMGetUnwindDest(source)));
  else
    call = emit_call_as(e, callee);
  LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(source));
  if (LLVMIsAFunction(callee->function) && LLVMGlobalGetValueType(callee->function) == callee->type)
    edit_copy_convention_and_param_attributes(e->low->arena, callee->function, call);
  return call;
}

void emit_branch_to_normal_destination(struct emit *e, uint32_t inst, LLVMBasicBlockRef from)
{
  uint32_t target = ir_block_id(&e->low->fn, LLVMGetNormalDest(e->low->fn.insts[inst]));
  e->normal_edge_blocks[e->low->cfg.node_of_inst[inst]] = from;
  LLVMBuildBr(e->builder, e->blocks[e->low->cfg.first_node[target]]);
}
