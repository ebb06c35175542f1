/* Copies the nodes of the CFG into the emitted function, in reverse postorder, with code at landings and fragments. */
#include "emit/copy_nodes.h"

#include <limits.h>

#include "base/invariant.h"
#include "emit/alloca_intrinsics.h"
#include "emit/block_head.h"
#include "emit/copy.h"
#include "emit/debug.h"
#include "emit/edges.h"
#include "emit/frame_address.h"
#include "emit/heap_allocas.h"
#include "emit/local_allocas.h"
#include "emit/lookup.h"
#include "emit/phis.h"
#include "emit/swifterror.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"
#include "transform/tailcall.h"

/* ---- Instructions: a copy of each presplit instruction, or code that replaces it ---- */

typedef bool lower_fn(struct emit *e, uint32_t inst, uint32_t node);

static bool copy_presplit_instruction(struct emit *e, uint32_t inst, uint32_t node)
{
  (void)node;
  emit_copy_define_and_spill(e, inst);
  return true;
}

/* Sets the debug location of `inst`. */
static void set_presplit_location(struct emit *e, uint32_t inst)
{
  LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(e->low->fn.insts[inst]));
}

static bool define_result_if_any_and_clear_location(struct emit *e, uint32_t inst, LLVMValueRef result)
{
  if (result)
    emit_define_and_spill(e, inst, result);
  LLVMSetCurrentDebugLocation2(e->builder, NULL);
  return true;
}

/* ---- By opcode ---- */

/* A return, a resume, or a cleanupret, which may also lead to another pad. */
static bool lower_exit_of_function(struct emit *e, uint32_t inst, uint32_t node)
{
  const struct ir_fn *fn = &e->low->fn;
  uint32_t block = fn->inst_block[inst];
  bool tail_called = inst > fn->block_start[block] && tailcall_is_musttail(fn->insts[inst - 1]);
  if (!ir_successor_count(fn, block) && !tail_called)
    emit_free_of_early_heap_blocks_if_any(e, node);
  return copy_presplit_instruction(e, inst, node);
}

/* If ends return in the ABI, a plain return acts as an end. Clones drop the ramp's return value. */
static bool lower_return_instruction(struct emit *e, uint32_t inst, uint32_t node)
{
  if (e->low->cfg.returns)
    emit_free_of_heap_list_if_any(e, node);
  if (e->clone_kind == CLONE_RAMP)
    return lower_exit_of_function(e, inst, node);
  emit_clone_return(e, e->builder);
  return true;
}

static bool lower_call_instruction(struct emit *e, uint32_t inst, uint32_t node)
{
  if (tailcall_is_musttail(e->low->fn.insts[inst])) /* only a return may follow */
    emit_free_of_early_heap_blocks_if_any(e, node);
  return (e->hooks->call && e->hooks->call(e, inst)) || copy_presplit_instruction(e, inst, node);
}

/* Creates allocas of the entry block on first use. */
static bool lower_alloca(struct emit *e, uint32_t inst, uint32_t node)
{
  const struct coro_alloca *item = coro_alloca_of(&e->low->allocas, ir_value_of_inst(&e->low->fn, inst));
  if (!item)
    return copy_presplit_instruction(e, inst, node);
  bool first = e->low->fn.inst_block[inst] == 0;
  if (item->in_frame || item->swifterror ||
      (item->is_static && (item->accessed_as_whole || item->used_in_other_epoch || first)))
    return true;
  if (!item->heap)
    return copy_presplit_instruction(e, inst, node);
  set_presplit_location(e, inst);
  return define_result_if_any_and_clear_location(
      e, inst, emit_heap_allocation_of_alloca(e, item, emit_operand(e, inst, ALLOCA_COUNT)));
}

/* ---- By intrinsic ---- */

/* If the clone ends at a coro.end in a pad, it leaves the pad. */
static bool lower_coro_end(struct emit *e, uint32_t inst, uint32_t node)
{
  if (pads_end_of_exited_pad(&e->low->cfg.pads, inst) != inst ||
      cfg_has_edge(&e->low->cfg, node, node + 1, e->clone_kind))
    return e->hooks->intrinsic(e, inst, (enum intrin)e->low->shape.intrin[inst]);
  LLVMBuildCleanupRet(e->builder, emit_get_copy_of_pad_of_end(e, inst), emit_end_pad(e, inst));
  return e->returned = true;
}

static bool lower_alloca_alloc(struct emit *e, uint32_t inst, uint32_t node)
{
  (void)node;
  set_presplit_location(e, inst);
  return define_result_if_any_and_clear_location(
      e, inst, alloca_intrinsic_emit_allocation(e, inst, emit_operand(e, inst, ALLOCA_ALLOC_SIZE)));
}

static bool lower_alloca_get(struct emit *e, uint32_t inst, uint32_t node)
{
  (void)node;
  set_presplit_location(e, inst);
  return define_result_if_any_and_clear_location(
      e, inst, alloca_intrinsic_emit_address(e, e->builder, inst, emit_operand(e, inst, ALLOCA_TOKEN)));
}

static bool lower_alloca_free(struct emit *e, uint32_t inst, uint32_t node)
{
  (void)node;
  set_presplit_location(e, inst);
  alloca_intrinsic_emit_free_or_stackrestore(e, inst, emit_operand(e, inst, ALLOCA_TOKEN));
  return define_result_if_any_and_clear_location(e, inst, NULL);
}

/* Drops the lifetime markers of an alloca that is in the frame, or is live across a suspend. */
static bool lower_lifetime(struct emit *e, uint32_t inst, uint32_t node)
{
  uint32_t variable = ir_operand(&e->low->fn, inst, LIFETIME_OF);
  const struct coro_alloca *item = variable == IR_NONE ? NULL : coro_alloca_of(&e->low->allocas, variable);
  return (item && (item->in_frame || item->heap || item->lifetime_spans_suspend)) ||
         copy_presplit_instruction(e, inst, node);
}

static bool lower_stackrestore(struct emit *e, uint32_t inst, uint32_t node)
{
  return stackrestore_is_dropped(e, inst) || copy_presplit_instruction(e, inst, node);
}

static bool lower_intrinsic_by_abi(struct emit *e, uint32_t inst, uint32_t node)
{
  (void)node;
  return e->hooks->intrinsic(e, inst, (enum intrin)e->low->shape.intrin[inst]);
}

static lower_fn *lowering_of_intrinsic_or_null(enum intrin intrin)
{
  static lower_fn *const table[INTRIN_ALL] = {
      [INTRIN_END] = lower_coro_end,
      [INTRIN_END_ASYNC] = lower_coro_end,
      [INTRIN_ALLOCA_ALLOC] = lower_alloca_alloc,
      [INTRIN_ALLOCA_GET] = lower_alloca_get,
      [INTRIN_ALLOCA_FREE] = lower_alloca_free,
      [INTRIN_LIFETIME_START] = lower_lifetime,
      [INTRIN_LIFETIME_END] = lower_lifetime,
      [INTRIN_STACKRESTORE] = lower_stackrestore,
  };
  return table[intrin] ? table[intrin] : intrin_is_coro(intrin) ? lower_intrinsic_by_abi : NULL;
}

static lower_fn *lowering_of_opcode(unsigned char opcode)
{
  static lower_fn *const table[UCHAR_MAX + 1] = {
      [LLVMRet] = lower_return_instruction,
      [LLVMResume] = lower_exit_of_function,
      [LLVMCleanupRet] = lower_exit_of_function,
      [LLVMCall] = lower_call_instruction,
      [LLVMAlloca] = lower_alloca,
  };
  return table[opcode] ? table[opcode] : copy_presplit_instruction;
}

/* Lowers `inst` at the builder's position. Sets e->returned if the function returns there. False: out of memory. */
static bool emit_instruction(struct emit *e, uint32_t inst, uint32_t node)
{
  lower_fn *by_intrinsic = lowering_of_intrinsic_or_null((enum intrin)e->low->shape.intrin[inst]);
  bool pad = head_is_pad_opcode_not_catchswitch((LLVMOpcode)e->low->fn.opcode[inst]);
  e->current_inst = inst;
  if (!pad)
    emit_debug_records(e, inst, node);
  bool ok = (by_intrinsic ? by_intrinsic : lowering_of_opcode(e->low->fn.opcode[inst]))(e, inst, node);
  if (pad) /* reloads for debug records must be after the pad */
    emit_debug_records(e, inst, node);
  return ok;
}

static void define_result_of_preceding_suspend(struct emit *e, uint32_t node)
{
  uint32_t suspend = e->low->cfg.nodes[node - 1].suspend;
  LLVMValueRef result = e->hooks->suspend_result(e, suspend, node);
  if (result && e->low->cfg.returns)
    emit_define_and_spill_at_node(e, e->low->shape.suspends[suspend].inst, result, node);
  else if (result)
    emit_define_without_spill(e, e->low->shape.suspends[suspend].inst, result);
}

/* Spills the suspend's result at its landing, because the fragment after the suspend, which defines it, also runs when
   control has suspended, and must not store into the frame then. */
static void spill_suspend_result_at_landing(struct emit *e, uint32_t node)
{
  uint32_t suspend = e->low->cfg.nodes[node].suspend;
  uint32_t value = ir_value_of_inst(&e->low->fn, e->low->shape.suspends[suspend].inst);
  if (e->low->cfg.returns || e->low->frame.of_value[value] == IR_NONE)
    return;
  e->values[value] = e->hooks->suspend_result(e, suspend, node);
  emit_store_spill_if_field(e, e->builder, value);
}

static void emit_branch_to_first_successor_or_unreachable(struct emit *e, uint32_t node)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t k = cfg->nodes[node].edge_start; k < cfg->nodes[node + 1].edge_start; k++)
    if (cfg->edges[k].clone_kinds & e->clone_kind) {
      LLVMBuildBr(e->builder, e->blocks[cfg->edges[k].to]);
      return;
    }
  LLVMBuildUnreachable(e->builder);
}

static void copy_alloca_content_into_frame(struct emit *e, const struct coro_alloca *item, LLVMValueRef from,
                                           LLVMValueRef to)
{
  if (edit_is_pointer(item->type) && item->size == LLVMABISizeOfType(e->low->layout, item->type))
    local_alloca_copy_by_load_and_store(e->builder, item, from, to);
  else
    LLVMBuildMemCpy(e->builder, to, (unsigned)item->align, from, (unsigned)item->align,
                    LLVMConstInt(LLVMInt64TypeInContext(e->low->context), item->size, false));
}

/* After coro.begin: initializes the frame's header, then spills what the ramp has computed before. */
static bool initialize_frame_after_begin(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
  e->field_address_position = LLVMGetBasicBlockTerminator(block);
  LLVMPositionBuilderBefore(e->builder, e->field_address_position);
  emit_debug_frame_records(e);
  if (e->hooks->frame_ready && !e->hooks->frame_ready(e))
    return false;
  for (uint32_t f = 0; f < low->frame.field_count; f++) {
    uint32_t value = low->frame.fields[f].value, inst = value == IR_NONE ? IR_NONE : ir_inst_of_value(&low->fn, value);
    if (value == IR_NONE || low->frame.fields[f].kind != CORO_FIELD_SPILL)
      continue;
    if (inst != IR_NONE && !cfg_inst_dominates(&low->cfg, inst, low->shape.begin))
      continue;
    LLVMValueRef value_copy = emit_value_at_node(e, value, low->cfg.begin_node),
                 slot = emit_address_of_frame_field(e, f);
    edit_set_alignment(LLVMBuildStore(e->builder, value_copy, slot), low->frame.fields[f].align);
  }
  if (low->frame.heap_field != IR_NONE)
    emit_heap_list_initialization(e);
  for (uint32_t a = 0; a < low->allocas.count; a++) {
    const struct coro_alloca *item = &low->allocas.items[a];
    if (item->spilled && item->copy_in)
      swifterror_store_to_frame_if_used_later(e, item->value, low->cfg.begin_node);
    if (!item->in_frame || !item->copy_in || !item->size)
      continue;
    uint32_t field = low->frame.of_value[item->value];
    LLVMValueRef from = emit_value_at_node(e, item->value, 0), to = emit_address_of_frame_field(e, field);
    copy_alloca_content_into_frame(e, item, from, to);
  }
  return true;
}

/* Emits a jump in place of a branch or switch if all edges that this clone may take lead to one node, because a phi of
   constants or llvm.coro.is_in_ramp decides. */
static bool emit_jump_if_clone_drops_edges(struct emit *e, uint32_t node)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  uint32_t taken = 0, count = cfg->nodes[node + 1].edge_start - cfg->nodes[node].edge_start;
  if (!flow_branch_operand(e->low->fn.insts[cfg->nodes[node].last - 1]))
    return false;
  for (uint32_t k = cfg->nodes[node].edge_start; k < cfg->nodes[node + 1].edge_start; k++)
    taken += (cfg->edges[k].clone_kinds & e->clone_kind) != 0;
  if (taken == count)
    return false;
  (void)CORO_INVARIANT(e->low->arena, taken > 0);
  emit_branch_to_first_successor_or_unreachable(e, node);
  return true;
}

static bool emit_fragment(struct emit *e, uint32_t node)
{
  const struct cfg_node *n = &e->low->cfg.nodes[node];
  uint32_t last = n->cut ? n->last : n->last - 1, i = copy_and_spill_phis_without_incoming(e, node);
  emit_debug_label_and_repeated_records(e, node);
  if (node && e->low->cfg.nodes[node - 1].suspend != IR_NONE && !e->low->cfg.nodes[node - 1].landing)
    define_result_of_preceding_suspend(e, node);
  e->returned = false;
  e->pad = pads_of_block(&e->low->cfg.pads, n->block);
  if (e->clone_kind == CLONE_RAMP && node == e->low->cfg.begin_node && e->hooks->after_begin &&
      !e->hooks->after_begin(e))
    return false;
  for (; i < last && !e->returned; i++)
    if (!emit_instruction(e, i, node))
      return false;
  if (e->returned)
    return true;
  emit_branch_to_and_record_exit_block(e, node);
  if (!n->cut)
    return emit_jump_if_clone_drops_edges(e, node) || emit_instruction(e, n->last - 1, node);
  emit_branch_to_first_successor_or_unreachable(e, node);
  return n->last - 1 != e->low->shape.begin || e->clone_kind != CLONE_RAMP || initialize_frame_after_begin(e);
}

static bool emit_landing_node(struct emit *e, uint32_t node)
{
  e->pad = IR_NONE;
  spill_suspend_result_at_landing(e, node);
  bool ok = !e->hooks->after_landing || e->hooks->after_landing(e, e->low->cfg.nodes[node].suspend);
  emit_branch_to_and_record_exit_block(e, node);
  emit_branch_to_first_successor_or_unreachable(
      e, node); /* even after a failure: LLVM leaks the debug records of a block without a terminator */
  return ok;
}

bool emit_nodes(struct emit *e)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t i = 0; i < e->node_count; i++) { /* reverse postorder: definitions precede uses */
    uint32_t node = e->order[i];
    LLVMPositionBuilderAtEnd(e->builder, e->blocks[node]);
    if (cfg->nodes[node].landing) {
      emit_debug_label_and_repeated_records(e, node);
      if (!emit_landing_node(e, node))
        return false;
    } else if (!coro_budget_may_continue(e->low->budget) || !emit_fragment(e, node))
      return false;
  }
  if (!add_incoming_values_of_phis(e))
    return false;
  local_alloca_erase_unused(e);
  emit_debug_complete_records(e);
  head_erase_placeholders(e);
  return !coro_arena_failed(e->low->arena);
}
