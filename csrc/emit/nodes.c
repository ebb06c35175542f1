/* Emission: one part of a coroutine as a copy of what can be reached in it: the walk over nodes and instructions.
   Needs: a coroutine that passed the check and has a frame layout. Leaves: new blocks in `function`; the source blocks
   are not touched. */
#include <string.h>

#include "emit/debug.h"
#include "emit/emit.h"
#include "emit/heap.h"
#include "emit/storage.h"
#include "emit/swifterror.h"
#include "emit/unwound.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

/* In the ramp's own function the source gives its name up. */
static void take_name(const struct emit *e, LLVMValueRef copy, LLVMValueRef source)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(source, &length);
  if (!length)
    return;
  const char *own = emit_in_place(e) ? coro_arena_strndup(e->low->arena, name, length) : name;
  if (emit_in_place(e))
    LLVMSetValueName2(source, "", 0);
  if (own)
    LLVMSetValueName2(copy, own, length);
}

static void store_spill(struct emit *e, LLVMBuilderRef builder, uint32_t value)
{
  uint32_t field = e->low->frame.of_value[value];
  if (field == IR_NONE || e->low->frame.fields[field].kind != CORO_FIELD_SPILL)
    return;
  LLVMValueRef slot = emit_slot(e, field), store = LLVMBuildStore(builder, e->values[value], slot);
  edit_set_alignment(store, e->low->frame.fields[field].align);
}

static void define(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node)
{
  uint32_t value = ir_value_of_inst(&e->low->fn, inst);
  e->values[value] = copy;
  if (cfg_has_frame(&e->low->cfg, e->part, node))
    store_spill(e, e->builder, value);
}

static void set_operands(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node)
{
  const struct ir_fn *fn = &e->low->fn;
  const uint32_t *operands = fn->operands + fn->operand_start[inst];
  uint32_t count = fn->operand_start[inst + 1] - fn->operand_start[inst];
  for (uint32_t k = 0; k < count; k++) {
    if (operands[k] == IR_NONE)
      continue;
    if (operands[k] & IR_BLOCK)
      LLVMSetOperand(copy, k, LLVMBasicBlockAsValue(emit_successor(e, node, operands[k] & ~IR_BLOCK)));
    else
      LLVMSetOperand(copy, k, emit_lookup(e, operands[k], node));
  }
}

/* The result of an invoke exists on its normal edge only, so that it is stored in a block of its own there. */
static void spill_invoke(struct emit *e, uint32_t inst, LLVMValueRef copy, uint32_t node)
{
  uint32_t value = ir_value_of_inst(&e->low->fn, inst);
  uint32_t error = swifterror_changed(e, inst);
  e->values[value] = copy;
  if ((e->low->frame.of_value[value] == IR_NONE && error == IR_NONE) || !cfg_has_frame(&e->low->cfg, e->part, node))
    return;
  LLVMBasicBlockRef normal = LLVMGetNormalDest(copy);
  e->on_edge[node] = LLVMInsertBasicBlockInContext(e->low->context, normal, "spill");
  LLVMSetNormalDest(copy, e->on_edge[node]);
  LLVMPositionBuilderAtEnd(e->builder, e->on_edge[node]);
  store_spill(e, e->builder, value);
  swifterror_keep(e, error, node);
  LLVMBuildBr(e->builder, normal);
}

static void copy_instruction(struct emit *e, uint32_t inst, uint32_t node)
{
  LLVMValueRef source = e->low->fn.insts[inst], copy = emit_call_outside_pads(e, inst);
  if (copy) {
    take_name(e, copy, source);
  } else {
    copy = LLVMInstructionClone(source);
    LLVMInsertIntoBuilder(e->builder, copy);
    take_name(e, copy, source);
    set_operands(e, inst, copy, node);
  }
  if (e->low->fn.opcode[inst] == LLVMInvoke)
    spill_invoke(e, inst, copy, node);
  else {
    define(e, inst, copy, node);
    swifterror_keep(e, swifterror_changed(e, inst), node);
  }
}

LLVMValueRef emit_copy(struct emit *e, uint32_t inst)
{
  copy_instruction(e, inst, e->low->cfg.node_of_inst[inst]);
  return e->values[ir_value_of_inst(&e->low->fn, inst)];
}

void emit_define(struct emit *e, uint32_t inst, LLVMValueRef copy)
{
  uint32_t node = e->low->cfg.node_of_inst[inst];
  if (e->low->fn.opcode[inst] == LLVMInvoke)
    spill_invoke(e, inst, copy, node);
  else
    define(e, inst, copy, node);
}

void emit_join_normal(struct emit *e, uint32_t inst, LLVMBasicBlockRef from)
{
  uint32_t target = ir_id(&e->low->fn, LLVMBasicBlockAsValue(LLVMGetNormalDest(e->low->fn.insts[inst])));
  e->on_edge[e->low->cfg.node_of_inst[inst]] = from;
  LLVMBuildBr(e->builder, e->blocks[e->low->cfg.first_node[target & ~IR_BLOCK]]);
}

static uint32_t copy_phis(struct emit *e, uint32_t node)
{
  const struct ir_fn *fn = &e->low->fn;
  uint32_t first = e->low->cfg.nodes[node].first, last = e->low->cfg.nodes[node].last, i = first;
  for (; i < last && fn->opcode[i] == LLVMPHI; i++) {
    if (emit_is_ramp_only(e, i))
      continue;
    LLVMValueRef copy = LLVMBuildPhi(e->builder, LLVMTypeOf(fn->insts[i]), "");
    take_name(e, copy, fn->insts[i]);
    e->values[ir_value_of_inst(fn, i)] = copy;
  }
  if (cfg_has_frame(&e->low->cfg, e->part, node) && !cfg_is_catchswitch(&e->low->cfg, &e->low->fn, node))
    for (uint32_t p = first; p < i; p++)
      if (!emit_is_ramp_only(e, p))
        store_spill(e, e->builder, ir_value_of_inst(fn, p));
  return i;
}

static void define_suspend_result(struct emit *e, uint32_t node)
{
  uint32_t suspend = e->low->cfg.nodes[node - 1].suspend;
  LLVMValueRef result = e->hooks->suspend_result(e, suspend, node);
  if (result)
    define(e, e->low->shape.suspends[suspend].inst, result, node);
}

static void finish_cut(struct emit *e, uint32_t node)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t k = cfg->nodes[node].edge_start; k < cfg->nodes[node + 1].edge_start; k++)
    if (cfg->edges[k].parts & e->part) {
      LLVMBuildBr(e->builder, e->blocks[cfg->edges[k].to]);
      return;
    }
  if (cfg_is_extra_landing(cfg, node))
    LLVMBuildRetVoid(e->builder); /* there is no memory to give back either */
  else
    LLVMBuildUnreachable(e->builder);
}

/* One pointer is loaded and stored: the variable may be a swifterror that no call tells, and that can be used by
   nothing else. */
static void copy_in(struct emit *e, const struct coro_alloca *item, LLVMValueRef from, LLVMValueRef to)
{
  if (LLVMGetTypeKind(item->type) != LLVMPointerTypeKind ||
      item->size != LLVMABISizeOfType(e->low->layout, item->type)) {
    LLVMBuildMemCpy(e->builder, to, (unsigned)item->align, from, (unsigned)item->align,
                    LLVMConstInt(LLVMInt64TypeInContext(e->low->context), item->size, false));
    return;
  }
  LLVMValueRef content = LLVMBuildLoad2(e->builder, item->type, from, "");
  edit_set_alignment(content, item->align);
  edit_set_alignment(LLVMBuildStore(e->builder, content, to), item->align);
}

/* The frame exists from here on: its header, then what the ramp already holds of its content. */
static bool enter_frame(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
  e->head = LLVMGetBasicBlockTerminator(block);
  LLVMPositionBuilderBefore(e->builder, e->head);
  emit_debug_frame(e);
  if (e->hooks->frame_ready && !e->hooks->frame_ready(e))
    return false;
  for (uint32_t f = 0; f < low->frame.field_count; f++) {
    uint32_t value = low->frame.fields[f].value, inst = value == IR_NONE ? IR_NONE : ir_inst_of_value(&low->fn, value);
    if (value == IR_NONE || low->frame.fields[f].kind != CORO_FIELD_SPILL)
      continue;
    if (inst != IR_NONE && !cfg_dominates(&low->cfg, inst, low->shape.begin))
      continue;
    LLVMValueRef kept = emit_lookup(e, value, low->cfg.begin_node), slot = emit_slot(e, f);
    edit_set_alignment(LLVMBuildStore(e->builder, kept, slot), low->frame.fields[f].align);
  }
  if (low->frame.heap_field != IR_NONE)
    heap_begin(e);
  for (uint32_t a = 0; a < low->allocas.count; a++) {
    const struct coro_alloca *item = &low->allocas.items[a];
    if (item->kept && item->copy_in)
      swifterror_keep(e, item->value, low->cfg.begin_node);
    if (!item->in_frame || !item->copy_in || !item->size)
      continue;
    uint32_t field = low->frame.of_value[item->value];
    LLVMValueRef from = emit_lookup(e, item->value, 0), to = emit_slot(e, field);
    copy_in(e, item, from, to);
  }
  return true;
}

static bool is_entry_alloca(const struct emit *e, uint32_t inst)
{
  uint32_t a = e->low->allocas.of_value[ir_value_of_inst(&e->low->fn, inst)];
  if (a == IR_NONE)
    return false;
  const struct coro_alloca *item = &e->low->allocas.items[a];
  return item->in_frame || item->swifterror ||
         (item->is_static && (item->whole || item->apart || e->low->fn.inst_block[inst] == 0));
}

/* A lifetime says nothing of a variable that lives in the frame. */
static bool is_frame_lifetime(const struct emit *e, uint32_t inst)
{
  if (!intrin_is_lifetime(e->low->shape.intrin[inst]))
    return false;
  uint32_t first = e->low->fn.operands[e->low->fn.operand_start[inst]];
  uint32_t a = first == IR_NONE ? IR_NONE : e->low->allocas.of_value[first];
  return a != IR_NONE && (e->low->allocas.items[a].in_frame || e->low->allocas.items[a].heap);
}

static bool is_heap_alloca(const struct emit *e, uint32_t inst)
{
  uint32_t a = e->low->allocas.of_value[ir_value_of_inst(&e->low->fn, inst)];
  return a != IR_NONE && e->low->allocas.items[a].heap;
}

/* Where ends return, a plain return is one too. */
static void release_at_return(struct emit *e, uint32_t inst, uint32_t node)
{
  const struct coro_lowering *low = e->low;
  if (low->fn.opcode[inst] == LLVMRet && low->cfg.returns && low->frame.heap_field != IR_NONE &&
      cfg_has_frame(&low->cfg, e->part, node))
    heap_release(e);
}

/* Memory that is allocated or freed in place of `inst`, by calls which stand where it does in the source. */
static bool emit_memory(struct emit *e, uint32_t inst)
{
  enum intrin intrin = (enum intrin)e->low->shape.intrin[inst];
  bool heap = is_heap_alloca(e, inst);
  if (!heap && intrin != INTRIN_ALLOCA_ALLOC && intrin != INTRIN_ALLOCA_GET && intrin != INTRIN_ALLOCA_FREE)
    return false;
  LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(e->low->fn.insts[inst]));
  if (heap)
    emit_define(e, inst, heap_allocate(e, inst));
  else
    storage_lower(e, inst);
  LLVMSetCurrentDebugLocation2(e->builder, NULL);
  return true;
}

static bool emit_instruction(struct emit *e, uint32_t inst, uint32_t node)
{
  enum intrin intrin = (enum intrin)e->low->shape.intrin[inst];
  emit_debug_records(e, inst, node);
  release_at_return(e, inst, node);
  if (e->low->fn.opcode[inst] == LLVMRet && e->part != PART_RAMP) {
    LLVMBuildRetVoid(e->builder); /* what the ramp returns is nothing to those who resume */
    return true;
  }
  if (emit_passes_over(e, inst, node))
    return true;
  if (pads_end(&e->low->cfg.pads, inst) == inst && !cfg_has_edge(&e->low->cfg, node, node + 1, e->part)) {
    LLVMBuildCleanupRet(e->builder, emit_pad(e, inst), emit_way_out(e, inst));
    return e->ended = true;
  }
  if (is_entry_alloca(e, inst) || is_frame_lifetime(e, inst) || heap_drops_stack_mark(e, inst))
    return true;
  if (emit_memory(e, inst))
    return true;
  if (intrin_is_coro(intrin))
    return e->hooks->intrinsic(e, inst, intrin);
  if (e->low->fn.opcode[inst] == LLVMResume)
    emit_before_eh_resume(e);
  copy_instruction(e, inst, node);
  return true;
}

/* A branch that only asks "is this the ramp?" has one way here. */
static bool emit_known_branch(struct emit *e, uint32_t node)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  const struct cfg_edge *edges = cfg->edges + cfg->nodes[node].edge_start;
  LLVMValueRef branch = e->low->fn.insts[cfg->nodes[node].last - 1];
  if (!LLVMIsABranchInst(branch) || LLVMGetNumSuccessors(branch) != 2 || edges[0].parts & edges[1].parts)
    return false;
  unsigned taken = e->part == PART_RAMP ? 0 : 1;
  LLVMBuildBr(e->builder, emit_successor(e, node, cfg->nodes[edges[taken].to].block));
  return true;
}

static bool emit_fragment(struct emit *e, uint32_t node)
{
  const struct cfg_node *n = &e->low->cfg.nodes[node];
  uint32_t last = n->cut ? n->last : n->last - 1, i = copy_phis(e, node);
  if (node && e->low->cfg.nodes[node - 1].suspend != IR_NONE && !e->low->cfg.nodes[node - 1].landing)
    define_suspend_result(e, node);
  e->ended = false;
  e->pad = pads_of_block(&e->low->cfg.pads, n->block);
  for (; i < last && !e->ended; i++)
    if (!emit_instruction(e, i, node))
      return false;
  if (e->ended)
    return true;
  if (!n->cut)
    return emit_known_branch(e, node) || emit_instruction(e, n->last - 1, node);
  finish_cut(e, node);
  return n->last - 1 != e->low->shape.begin || e->part != PART_RAMP || enter_frame(e);
}

static bool add_phi_entry(struct emit *e, uint32_t phi, uint32_t node, uint32_t from, uint32_t operand)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  const struct ir_fn *fn = &e->low->fn;
  if (!e->blocks[from] || !cfg_has_edge(cfg, from, node, e->part))
    return true;
  uint64_t unused = 0;
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(e->blocks[from]);
  bool single = LLVMGetInstructionOpcode(terminator) == LLVMBr && LLVMGetNumSuccessors(terminator) == 1;
  if (single && coro_map_get(&e->seen_phi, coro_map_pair(phi, from), &unused))
    return true;
  if (single && !coro_map_put(&e->seen_phi, coro_map_pair(phi, from), 1))
    return false;
  uint32_t value = fn->operands[fn->operand_start[phi] + operand];
  LLVMValueRef copy = value == IR_NONE ? LLVMGetIncomingValue(fn->insts[phi], operand) : emit_lookup(e, value, from);
  LLVMBasicBlockRef block = e->blocks[from];
  if (e->on_edge[from] && LLVMGetSuccessor(LLVMGetBasicBlockTerminator(e->on_edge[from]), 0) == e->blocks[node])
    block = e->on_edge[from];
  LLVMAddIncoming(e->values[ir_value_of_inst(fn, phi)], &copy, &block, 1);
  return true;
}

static bool fill_phis(struct emit *e, uint32_t node)
{
  const struct ir_fn *fn = &e->low->fn;
  for (uint32_t i = e->low->cfg.nodes[node].first; i < e->low->cfg.nodes[node].last && fn->opcode[i] == LLVMPHI; i++) {
    uint32_t count = emit_is_ramp_only(e, i) ? 0 : ir_phi_count(fn, i);
    for (uint32_t k = 0; k < count; k++) {
      uint32_t block = fn->operands[fn->operand_start[i] + count + k], from[2];
      uint32_t sides = block == IR_NONE ? 0 : cfg_edge_nodes(&e->low->cfg, block & ~IR_BLOCK, from);
      for (uint32_t s = 0; s < sides; s++)
        if (!add_phi_entry(e, i, node, from[s], k))
          return false;
    }
  }
  return true;
}

static void spill_phis(struct emit *e, uint32_t node, uint32_t to)
{
  for (uint32_t i = e->low->cfg.nodes[node].first; e->low->fn.opcode[i] == LLVMPHI; i++) {
    uint32_t value = ir_value_of_inst(&e->low->fn, i), field = e->low->frame.of_value[value];
    if (field == IR_NONE)
      continue;
    emit_slot(e, field); /* before `aside` goes to its place */
    emit_move_to_head(e, to);
    store_spill(e, e->aside, value);
  }
}

/* What a catchswitch block's phis choose is stored in the pads behind it, and in those behind the catchswitch that is
   next in line, which has no room either. */
static void spill_in_handlers(struct emit *e, uint32_t node)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t at = node, next = IR_NONE; at != IR_NONE; at = next, next = IR_NONE)
    for (uint32_t k = cfg->nodes[at].edge_start; k < cfg->nodes[at + 1].edge_start; k++) {
      uint32_t to = cfg->edges[k].to;
      if (!graph_dominates(&cfg->dom, node, to))
        continue;
      if (cfg_is_catchswitch(cfg, &e->low->fn, to))
        next = to;
      else
        spill_phis(e, node, to);
    }
}

static bool fill_merge(struct emit *e, const struct emit_merge *merge)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t p = cfg->graph.pred_start[merge->node]; p < cfg->graph.pred_start[merge->node + 1]; p++) {
    uint32_t from = cfg->graph.pred[p];
    if (!e->blocks[from] || !cfg_has_edge(cfg, from, merge->node, e->part))
      continue;
    LLVMValueRef value = emit_lookup(e, merge->value, from);
    LLVMAddIncoming(merge->phi, &value, &e->blocks[from], 1);
  }
  return !coro_arena_failed(e->low->arena);
}

/* Variables that only the coroutine's id or a lifetime still named. */
static void drop_unused_variables(struct emit *e)
{
  for (uint32_t v = 0; v < e->variables.count; v++) {
    LLVMValueRef *copy = &e->values[e->variables.items[v]];
    if (!*copy || LLVMGetFirstUse(*copy))
      continue;
    LLVMInstructionEraseFromParent(*copy);
    *copy = NULL;
  }
}

bool emit_nodes(struct emit *e)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  for (uint32_t i = 0; i < e->node_count; i++) { /* definitions before the uses that they dominate */
    uint32_t node = e->order[i];
    LLVMPositionBuilderAtEnd(e->builder, e->blocks[node]);
    if (cfg->nodes[node].landing) {
      emit_debug_landing(e, node);
      if (cfg_is_extra_landing(cfg, node))
        emit_unwound_landing(e);
      finish_cut(e, node);
    } else if (!coro_budget_go_on(e->low->budget) || !emit_fragment(e, node))
      return false;
  }
  for (uint32_t i = 0; i < e->node_count; i++)
    if (!fill_phis(e, e->nodes[i]))
      return false;
  for (uint32_t i = 0; i < e->node_count; i++)
    if (cfg_is_catchswitch(cfg, &e->low->fn, e->nodes[i]) && cfg_has_frame(cfg, e->part, e->nodes[i]))
      spill_in_handlers(e, e->nodes[i]);
  for (uint32_t m = 0; m < e->merges.count; m++) { /* looking a value up may ask for more */
    struct emit_merge merge = e->merges.items[m];
    if (!fill_merge(e, &merge))
      return false;
  }
  emit_drop_stand_ins(e);
  drop_unused_variables(e);
  emit_debug_end(e);
  return !coro_arena_failed(e->low->arena);
}
