/* Lowers each presplit instruction by two tables, one of intrinsics and one of opcodes. */
#include "emit/instruction.h"

#include <limits.h>

#include "emit/alloca_intrinsics.h"
#include "emit/block_head.h"
#include "emit/copy.h"
#include "emit/debug.h"
#include "emit/edges.h"
#include "emit/heap_allocas.h"
#include "emit/lookup.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"
#include "transform/tailcall.h"

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

/* In ABIs whose ends return, a plain return acts as an end. The ramp's return value is dropped in clones. */
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

/* Drops lifetime markers of allocas that are in the frame, or whose lifetime spans a suspend. */
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

bool emit_instruction(struct emit *e, uint32_t inst, uint32_t node)
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
