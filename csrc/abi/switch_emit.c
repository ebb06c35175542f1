/* Emits the dispatch on the suspend index at the entry of a switched-resume clone, and lowers each intrinsic in each
   clone.
   Requires: emission in progress.
   Guarantees: no coroutine intrinsic in a clone. */
#include "abi/hook_call.h"
#include "abi/switch_internal.h"
#include "base/align.h"
#include "emit/copy.h"
#include "emit/deferred_spill.h"
#include "emit/edges.h"
#include "emit/frame_address.h"
#include "emit/heap_allocas.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "lowering/abi.h"
#include "transform/branch_weights.h"

static uint64_t offset_of_field_of_kind_or_0(const struct emit *e, coro_field_kind kind)
{
  for (uint32_t f = 0; f < e->low->frame.field_count; f++)
    if (e->low->frame.fields[f].kind == kind)
      return e->low->frame.fields[f].offset;
  return 0;
}

static LLVMValueRef null_pointer(const struct emit *e)
{
  return LLVMConstNull(emit_pointer(e));
}

/* In a destroy function, a null resume slot means that the coroutine is done: branches to this landing. */
static void emit_branch_if_resume_slot_is_null(struct emit *e, LLVMBasicBlockRef landing, bool is_rare)
{
  LLVMBasicBlockRef not_done = emit_append_block(e, "Switch");
  LLVMValueRef address =
      emit_address_at_frame_offset(e, offset_of_field_of_kind_or_0(e, CORO_FIELD_RESUME), "ResumeFn.addr");
  LLVMValueRef resume = LLVMBuildLoad2(e->builder, emit_pointer(e), address, "ResumeFn");
  LLVMValueRef done = LLVMBuildICmp(e->builder, LLVMIntEQ, resume, null_pointer(e), "done");
  LLVMValueRef branch = LLVMBuildCondBr(e->builder, done, landing, not_done);
  if (is_rare)
    set_branch_weights(e->low->arena, branch, (const uint32_t[]){BRANCH_WEIGHT_RARE, BRANCH_WEIGHT_LIKELY});
  LLVMPositionBuilderAtEnd(e->builder, not_done);
}

/* The suspend index: the result of a hook, or a load from the frame. */
static LLVMValueRef load_suspend_index_or_call_dispatch_hook(struct emit *e)
{
  const struct coro_frame *frame = &e->low->frame;
  if (abi_defines_hook(e, HOOK_dispatch))
    return emit_hook_call(e, HOOK_dispatch, &(struct hook_site){.inst = e->low->shape.begin, .suspend = IR_NONE});
  LLVMValueRef address = emit_address_at_frame_offset(e, frame->fields[frame->index_field].offset, "index.addr");
  return LLVMBuildLoad2(e->builder, frame->header.index_type, address, "index");
}

/* Sets the branch weights of a dispatch whose successors from `first_rare` on are landings of coroutines ended by an
   exception: these are rare, the others likely. No weights if there are none. In the presplit function the exception
   edge already made them cold for the inliner. */
static void mark_landings_after_exception_rare(struct emit *e, LLVMValueRef dispatch, unsigned first_rare)
{
  unsigned count = LLVMGetNumSuccessors(dispatch);
  uint32_t *edge_weights = first_rare < count ? CORO_NEW_ARRAY(e->low->arena, uint32_t, count) : NULL;
  for (unsigned successor = 1; edge_weights && successor < count; successor++)
    edge_weights[successor] = successor < first_rare ? BRANCH_WEIGHT_LIKELY : BRANCH_WEIGHT_RARE;
  if (edge_weights)
    set_branch_weights(e->low->arena, dispatch, edge_weights);
}

static bool is_index_stored_at_suspend(const struct coro_lowering *low, uint32_t suspend)
{
  if (low->shape.suspends[suspend].final)
    return switch_final_suspend_stores_index(low);
  return !coro_is_unwound_at(&low->shape, suspend) || switch_exception_landings_have_index(low);
}

/* Emits a switch on the suspend index to those landings of the clone that have an index, from suspend `first` on. */
static void emit_switch_on_index(struct emit *e, uint32_t first_suspend)
{
  const struct coro_shape *shape = &e->low->shape;
  LLVMBasicBlockRef unreachable_block = emit_append_block(e, "unreachable");
  LLVMValueRef index = load_suspend_index_or_call_dispatch_hook(e);
  LLVMTypeRef type = LLVMTypeOf(index);
  LLVMValueRef dispatch = LLVMBuildSwitch(e->builder, index, unreachable_block, shape->suspend_count - first_suspend);
  unsigned unwound = 0;
  for (unsigned after_unwind = 0; after_unwind < 2; after_unwind++) {
    for (uint32_t k = first_suspend; k < shape->suspend_count; k++) {
      LLVMBasicBlockRef landing = e->blocks[cfg_landing(&e->low->cfg, k)];
      if (landing && coro_is_unwound_at(shape, k) == after_unwind && is_index_stored_at_suspend(e->low, k))
        LLVMAddCase(dispatch, LLVMConstInt(type, shape->suspends[k].index, false), landing);
    }
    unwound = unwound ? unwound : LLVMGetNumSuccessors(dispatch);
  }
  mark_landings_after_exception_rare(e, dispatch, unwound);
  LLVMPositionBuilderAtEnd(e->builder, unreachable_block);
  LLVMBuildUnreachable(e->builder);
}

/* The only landing of the clone that a null resume slot identifies; IR_NONE: there is none. */
static uint32_t suspend_of_landing_without_index_or_none(const struct emit *e)
{
  const struct coro_shape *shape = &e->low->shape;
  for (uint32_t k = shape->resumed_count; k < shape->suspend_count; k++)
    if (e->blocks[cfg_landing(&e->low->cfg, k)] && !is_index_stored_at_suspend(e->low, k))
      return k;
  return IR_NONE;
}

/* Branches to the only landing with an index; a frame stores no index if at most one landing would need it. */
static void branch_to_only_landing_with_index(struct emit *e, uint32_t first_suspend)
{
  for (uint32_t k = first_suspend; k < e->low->shape.suspend_count; k++) {
    LLVMBasicBlockRef landing = e->blocks[cfg_landing(&e->low->cfg, k)];
    if (landing && is_index_stored_at_suspend(e->low, k)) {
      LLVMBuildBr(e->builder, landing);
      return;
    }
  }
  LLVMBuildUnreachable(e->builder);
}

void switch_emit_dispatch(struct emit *e)
{
  const struct switch_data *data = e->hooks->data;
  const struct coro_shape *shape = &e->low->shape;
  uint32_t first = 0, done = suspend_of_landing_without_index_or_none(e);
  LLVMBasicBlockRef final =
      coro_has_final_suspend(&e->low->shape) ? e->blocks[cfg_landing(&e->low->cfg, shape->suspend_count - 1)] : NULL;
  LLVMBasicBlockRef start = emit_append_block(e, "resume.entry");
  e->field_address_position = LLVMBuildBr(e->builder, start);
  LLVMPositionBuilderAtEnd(e->builder, start);
  if (final && data->when_complete) {
    if (!switch_exception_landings_have_index(e->low)) {
      LLVMBuildBr(e->builder, final);
      return;
    }
    first = shape->resumed_count;
  }
  if (done != IR_NONE)
    emit_branch_if_resume_slot_is_null(e, e->blocks[cfg_landing(&e->low->cfg, done)], coro_is_unwound_at(shape, done));
  if (e->low->frame.index_field != IR_NONE || abi_defines_hook(e, HOOK_dispatch))
    emit_switch_on_index(e, first);
  else
    branch_to_only_landing_with_index(e, first);
}

/* The result of coro.alloc; NULL if the coroutine has none. */
static LLVMValueRef coro_alloc_result_or_null(const struct emit *e)
{
  const struct coro_lowering *low = e->low;
  const struct switch_data *data = e->hooks->data;
  for (uint32_t i = 0; i < low->fn.inst_count && !data->needed; i++)
    if (low->shape.intrin[i] == INTRIN_ALLOC && cfg_inst_dominates(&low->cfg, i, low->shape.begin))
      return e->values[ir_value_of_inst(&low->fn, i)];
  return data->needed;
}

bool switch_store_resume_and_destroy_slots(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  if (!low->shape.suspend_count)
    return true;
  LLVMValueRef destroy = low->clones[1], needed = coro_alloc_result_or_null(e);
  LLVMBuildStore(e->builder, low->clones[0],
                 emit_address_at_frame_offset(e, offset_of_field_of_kind_or_0(e, CORO_FIELD_RESUME), "resume.addr"));
  if (needed)
    destroy = LLVMBuildSelect(e->builder, needed, low->clones[1], low->clones[2], "");
  LLVMBuildStore(e->builder, destroy,
                 emit_address_at_frame_offset(e, offset_of_field_of_kind_or_0(e, CORO_FIELD_DESTROY), "destroy.addr"));
  return true;
}

static void store_suspend_index_if_field_exists(struct emit *e, uint64_t index)
{
  const struct coro_frame *frame = &e->low->frame;
  if (frame->index_field == IR_NONE)
    return;
  LLVMValueRef address = emit_address_at_frame_offset(e, frame->fields[frame->index_field].offset, "index.addr");
  LLVMBuildStore(e->builder, LLVMConstInt(frame->header.index_type, index, false), address);
}

static void store_null_resume_slot(struct emit *e)
{
  LLVMBuildStore(e->builder, null_pointer(e),
                 emit_address_at_frame_offset(e, offset_of_field_of_kind_or_0(e, CORO_FIELD_RESUME), "ResumeFn.addr"));
}

static void store_index_and_slots_at_suspend(struct emit *e, uint32_t inst, uint32_t suspend)
{
  const struct coro_suspend *at = &e->low->shape.suspends[suspend];
  if (at->final)
    store_null_resume_slot(e);
  if (is_index_stored_at_suspend(e->low, suspend))
    store_suspend_index_if_field_exists(e, at->index);
  switch_store_resume_slot_and_call_save_hook(e, inst, suspend, 0);
}

/* The suspend after an unwind end from which control reaches the node; IR_NONE: none. */
static uint32_t unwound_suspend_of_predecessor_or_none(const struct coro_lowering *low, uint32_t node)
{
  const struct graph *graph = &low->cfg.graph;
  for (uint32_t p = graph->pred_start[node]; p < graph->pred_start[node + 1]; p++) {
    uint32_t suspend = low->cfg.nodes[graph->pred[p]].suspend;
    if (suspend != IR_NONE && coro_is_unwound_at(&low->shape, suspend) &&
        cfg_has_edge(&low->cfg, graph->pred[p], node, CLONE_RESUME))
      return suspend;
  }
  return IR_NONE;
}

/* Lowers an end in a pad before which the clone has suspended. Another exit of the pad may not have. */
static void store_state_at_end_in_pad(struct emit *e, uint32_t inst)
{
  uint32_t suspend = unwound_suspend_of_predecessor_or_none(e->low, e->low->cfg.node_of_inst[inst]);
  if (suspend == IR_NONE || pads_end_of_exited_pad(&e->low->cfg.pads, inst) == IR_NONE)
    return;
  store_null_resume_slot(e);
  store_index_and_slots_at_suspend(e, inst, suspend);
}

/* Stores the state for destruction after an exception: as at the final suspend, if no suspend follows. */
static void store_state_at_unwind_end(struct emit *e, uint32_t inst)
{
  const struct coro_shape *shape = &e->low->shape;
  if (!(e->low->cfg.nodes[e->low->cfg.node_of_inst[inst]].owners & e->clone_kind)) {
    store_state_at_end_in_pad(e, inst);
    return;
  }
  store_null_resume_slot(e);
  if (!coro_has_final_suspend(shape) || coro_bits_get(&shape->before_suspend, inst))
    return;
  uint64_t index = shape->suspends[shape->suspend_count - 1].index;
  store_suspend_index_if_field_exists(e, index);
  switch_store_resume_slot_and_call_save_hook(e, inst, IR_NONE, index);
}

static bool lower_save(struct emit *e, uint32_t inst)
{
  if (e->low->shape.suspend_of[inst] == IR_NONE)
    return true;
  emit_deferred_spills_before_suspend(e, inst);
  store_index_and_slots_at_suspend(e, inst, e->low->shape.suspend_of[inst]);
  return true;
}

static bool lower_suspend(struct emit *e, uint32_t inst)
{
  uint32_t suspend = e->low->cfg.nodes[e->low->cfg.node_of_inst[inst]].suspend;
  if (e->low->shape.suspends[suspend].save == IR_NONE) {
    emit_deferred_spills_before_suspend(e, inst);
    store_index_and_slots_at_suspend(e, inst, suspend);
  }
  if (!coro_is_unwound_at(&e->low->shape, suspend)) /* otherwise the coroutine has ended */
    switch_call_suspend_hook(e, inst, suspend);
  return true;
}

static bool lower_end(struct emit *e, uint32_t inst)
{
  switch_call_end_hook_unless_suspended(e, inst);
  if (e->clone_kind == CLONE_RAMP)
    return true;
  if (!coro_is_unwind_end(&e->low->fn, inst)) {
    emit_clone_return(e, e->builder);
    e->returned = true;
    return true;
  }
  store_state_at_unwind_end(e, inst);
  if (LLVMGetNumOperandBundles(e->low->fn.insts[inst])) {
    LLVMBuildCleanupRet(e->builder, emit_first_bundle_operand(e, inst), NULL);
    e->returned = true;
  }
  return true;
}

static bool lower_id(struct emit *e, uint32_t inst)
{
  const struct switch_data *data = e->hooks->data;
  if (!data->resumers || data->caller)
    return true; /* nothing to elide */
  LLVMValueRef copy = emit_copy_define_and_spill(e, inst);
  LLVMSetOperand(copy, ID_PROMISE, null_pointer(e));
  LLVMSetOperand(copy, ID_PARTS, data->resumers);
  return true;
}

/* Emits llvm.coro.begin for either form of the intrinsic, because elision only knows this one. */
static LLVMValueRef emit_standard_coro_begin(struct emit *e, uint32_t inst)
{
  if (intrin_of_call(e->low->table, e->low->fn.insts[inst]) == INTRIN_BEGIN)
    return emit_copy_define_and_spill(e, inst);
  LLVMValueRef callee = intrin_declare(e->low->table, e->low->module, INTRIN_BEGIN, NULL, 0);
  LLVMValueRef arguments[2] = {emit_operand(e, inst, BEGIN_ID), emit_operand(e, inst, BEGIN_MEMORY)};
  LLVMValueRef begin = edit_build_call(e->builder, callee, arguments, 2, "");
  LLVMInstructionSetDebugLoc(begin, LLVMInstructionGetDebugLoc(e->low->fn.insts[inst]));
  emit_define_and_spill(e, inst, begin);
  return begin;
}

/* Emits the ramp's llvm.coro.begin: without noduplicate, because the ramp may now be inlined several times, and with
   a noalias result. */
static LLVMValueRef emit_ramp_begin(struct emit *e, uint32_t inst)
{
  LLVMValueRef memory = switch_emit_alloc_hook_or_null(e, inst), begin = emit_standard_coro_begin(e, inst);
  if (memory)
    LLVMSetOperand(begin, BEGIN_MEMORY, memory);
  edit_remove_function_attribute(begin, "noduplicate");
  edit_add_attribute(begin, (unsigned)LLVMAttributeReturnIndex, "noalias");
  edit_add_attribute(begin, (unsigned)LLVMAttributeReturnIndex, "nonnull");
  return begin;
}

static bool lower_begin(struct emit *e, uint32_t inst)
{
  const struct switch_data *data = e->hooks->data;
  if (data->caller)
    e->frame = data->caller;
  else if (data->resumers)
    e->frame = emit_ramp_begin(e, inst);
  else
    e->frame = data->on_stack ? data->on_stack : emit_operand(e, inst, BEGIN_MEMORY);
  return true;
}

static bool lower_alloc(struct emit *e, uint32_t inst)
{
  const struct switch_data *data = e->hooks->data;
  if (data->resumers && !data->caller && !abi_defines_hook(e, HOOK_alloc))
    emit_copy_define_and_spill(e, inst);
  else
    emit_define_and_spill(e, inst, edit_bool_constant(e->low->context, false));
  return true;
}

/* Emits the address of the memory to free when the coroutine ends by itself. It is null at run time if the frame is in
   the frame of the caller, which is so if the destroy slot holds f.cleanup. */
static LLVMValueRef emit_frame_or_null_if_elided(struct emit *e)
{
  const struct switch_data *data = e->hooks->data;
  if (!data->elidable)
    return e->frame;
  LLVMValueRef address =
      emit_address_at_frame_offset(e, offset_of_field_of_kind_or_0(e, CORO_FIELD_DESTROY), "destroy.addr");
  LLVMValueRef destroy = LLVMBuildLoad2(e->builder, LLVMTypeOf(e->low->clones[2]), address, "destroy");
  LLVMValueRef elided = LLVMBuildICmp(e->builder, LLVMIntEQ, destroy, e->low->clones[2], "elided");
  return LLVMBuildSelect(e->builder, elided, null_pointer(e), e->frame, "");
}

/* Frees the frame by the ABI's hook, so that the presplit code gets null to free. */
static void free_frame_by_hook_and_define_null(struct emit *e, uint32_t inst)
{
  const struct switch_data *data = e->hooks->data;
  if (e->clone_kind == CLONE_RESUME)
    switch_emit_free_hook_unless_null(e, inst, emit_frame_or_null_if_elided(e));
  else if (e->clone_kind == CLONE_DESTROY)
    switch_emit_free_hook_unless_null(e, inst, e->frame);
  else if (e->clone_kind == CLONE_RAMP && !data->caller) {
    LLVMValueRef callee = intrin_declare(e->low->table, e->low->module, INTRIN_FREE, NULL, 0);
    LLVMValueRef arguments[2] = {emit_operand(e, e->low->shape.begin, BEGIN_ID), e->frame};
    switch_emit_free_hook_unless_null(e, inst, edit_build_call(e->builder, callee, arguments, 2, ""));
  }
  emit_define_and_spill(e, inst, null_pointer(e));
}

static bool lower_free(struct emit *e, uint32_t inst)
{
  const struct switch_data *data = e->hooks->data;
  emit_free_of_heap_list_if_any(e, e->low->cfg.node_of_inst[inst]);
  if (abi_defines_hook(e, HOOK_free) && data->elidable && data->resumers)
    free_frame_by_hook_and_define_null(e, inst);
  else if (e->clone_kind == CLONE_RESUME)
    emit_define_and_spill(e, inst, emit_frame_or_null_if_elided(e));
  else if (e->clone_kind == CLONE_DESTROY)
    emit_define_and_spill(e, inst, e->frame);
  else if (e->clone_kind == CLONE_CLEANUP || data->caller || data->on_stack)
    emit_define_and_spill(e, inst, null_pointer(e));
  else if (data->resumers)
    emit_copy_define_and_spill(e, inst);
  else
    emit_define_and_spill(e, inst, e->frame);
  return true;
}

/* Lowers llvm.coro.promise to a constant offset between handle and promise, which is valid for any coroutine. */
static bool lower_promise_of_any_handle(struct emit *e, uint32_t inst)
{
  LLVMValueRef source = e->low->fn.insts[inst];
  uint64_t header = 2 * ir_pointer_size(e->low->context, e->low->layout);
  uint64_t align = LLVMConstIntGetZExtValue(LLVMGetOperand(source, PROMISE_ALIGN));
  uint64_t offset = coro_align_to(header, align ? align : 1);
  bool from = LLVMConstIntGetZExtValue(LLVMGetOperand(source, PROMISE_FROM)) != 0;
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(e->low->context), from ? 0 - offset : offset, true);
  emit_define_and_spill(e, inst,
                        LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->low->context),
                                              emit_operand(e, inst, PROMISE_HANDLE), &index, 1, ""));
  return true;
}

static void add_incoming_suspend_result(struct emit *e, LLVMValueRef phi, uint32_t from, uint32_t node, int result)
{
  LLVMValueRef value = LLVMConstInt(LLVMTypeOf(phi), (unsigned long long)result, true);
  if (!e->blocks[from] || !cfg_has_edge(&e->low->cfg, from, node, e->clone_kind))
    return;
  LLVMBasicBlockRef exit = emit_get_or_append_exit_block(e, from);
  LLVMAddIncoming(phi, &value, &exit, 1);
}

/* The value of a suspend whose result is used by more than a branch: -1 on the suspend edge, 0 or 1 at the landing. */
LLVMValueRef switch_emit_suspend_result(struct emit *e, uint32_t suspend, uint32_t node)
{
  const struct coro_cfg *cfg = &e->low->cfg;
  LLVMTypeRef type = LLVMInt8TypeInContext(e->low->context);
  int landing_result = e->clone_kind == CLONE_RESUME ? 0 : 1;
  if (cfg->nodes[node].landing)
    return LLVMConstInt(type, (unsigned long long)landing_result, true);
  LLVMValueRef phi = LLVMBuildPhi(e->builder, type, "");
  add_incoming_suspend_result(e, phi, node - 1, node, -1);
  add_incoming_suspend_result(e, phi, cfg_landing(cfg, suspend), node, landing_result);
  if (LLVMCountIncoming(phi) > 1)
    return phi;
  LLVMValueRef result = LLVMGetIncomingValue(phi, 0);
  LLVMInstructionEraseFromParent(phi);
  return result;
}

bool switch_lower_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin)
{
  switch (intrin) {
  case INTRIN_ID: return lower_id(e, inst);
  case INTRIN_ALLOC: return lower_alloc(e, inst);
  case INTRIN_BEGIN: return lower_begin(e, inst);
  case INTRIN_FREE: return lower_free(e, inst);
  case INTRIN_END: return lower_end(e, inst);
  case INTRIN_SAVE: return lower_save(e, inst);
  case INTRIN_SUSPEND: return lower_suspend(e, inst);
  case INTRIN_PROMISE:
    return coro_is_own_promise(&e->low->fn, &e->low->shape, inst) || lower_promise_of_any_handle(e, inst);
  case INTRIN_AWAIT_VOID:
    switch_emit_call_of_await_function(e, inst, LLVMVoidTypeInContext(e->low->context), NULL);
    return true;
  case INTRIN_AWAIT_BOOL:
    emit_define_and_spill(e, inst,
                          switch_emit_call_of_await_function(e, inst, LLVMInt1TypeInContext(e->low->context), NULL));
    return true;
  case INTRIN_AWAIT_HANDLE: return switch_lower_await_handle(e, inst);
  default: emit_common_intrinsic_or_copy(e, inst, intrin); return true; /* a copy may be lowered later */
  }
}
