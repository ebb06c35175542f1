/* Lowers the intrinsics of returned-continuation coroutines. A suspend returns the continuation and the yielded values;
   an end deallocates the frame.
   Requires: emission in progress.
   Guarantees: no clone contains one of the coroutine's own intrinsics. */
#include "abi/common_hook_sites.h"
#include "abi/hook_call.h"
#include "abi/retcon_internal.h"
#include "emit/copy.h"
#include "emit/heap_allocas.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "transform/swifterror.h"

static LLVMTypeRef return_type(const struct emit *e)
{
  return LLVMGetReturnType(LLVMGlobalGetValueType(e->function));
}

bool retcon_emit_frame_from_buffer(struct emit *e)
{
  e->frame_argument = e->frame = LLVMGetParam(e->function, 0);
  LLVMSetValueName2(e->frame_argument, "buffer", 6);
  if (retcon_frame_is_in_buffer(e->low))
    return true;
  e->frame = LLVMBuildLoad2(e->builder, emit_pointer(e), e->frame_argument, "frame");
  edit_set_alignment(e->frame, retcon_id_number(e->low, RETCON_ALIGN));
  return true;
}

static LLVMValueRef emit_frame_allocation(struct emit *e, uint32_t inst)
{
  LLVMTypeRef word = LLVMIntPtrTypeInContext(e->low->context, e->low->layout);
  LLVMValueRef frame = retcon_emit_allocator_call(e, e->low->shape.id, LLVMConstInt(word, e->low->frame.size, false));
  LLVMInstructionSetDebugLoc(frame, LLVMInstructionGetDebugLoc(e->low->fn.insts[inst]));
  LLVMSetValueName2(frame, "frame", 5);
  return frame;
}

/* Lowers llvm.coro.begin, which only the ramp contains, because it precedes every suspend. */
static bool lower_begin(struct emit *e, uint32_t inst)
{
  const struct coro_lowering *low = e->low;
  LLVMValueRef buffer = emit_operand(e, low->shape.id, retcon_index(low, RETCON_BUFFER));
  e->frame = buffer;
  if (retcon_frame_is_in_buffer(e->low))
    return true;
  e->frame = abi_defines_hook(e, HOOK_alloc)
                 ? emit_hook_call(e, HOOK_alloc, &(struct hook_site){.inst = inst, .suspend = IR_NONE})
                 : emit_frame_allocation(e, inst);
  edit_set_alignment(LLVMBuildStore(e->builder, e->frame, buffer), retcon_id_number(low, RETCON_ALIGN));
  return true;
}

/* Returns `first` (unless NULL) and `values`, packed as the return type requires. */
static void build_packed_return(struct emit *e, LLVMValueRef first, LLVMValueRef *values, unsigned count)
{
  LLVMTypeRef type = return_type(e);
  unsigned index = 0;
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind) {
    if (first || count)
      LLVMBuildRet(e->builder, first ? first : values[0]);
    else
      LLVMBuildRetVoid(e->builder);
    return;
  }
  LLVMValueRef aggregate = LLVMGetPoison(type);
  if (first)
    aggregate = LLVMBuildInsertValue(e->builder, aggregate, first, index++, "");
  for (unsigned i = 0; i < count; i++)
    aggregate = LLVMBuildInsertValue(e->builder, aggregate, values[i], index++, "");
  LLVMBuildRet(e->builder, aggregate);
}

static bool lower_suspend(struct emit *e, uint32_t inst)
{
  unsigned count = LLVMGetNumArgOperands(e->low->fn.insts[inst]);
  uint32_t suspend = e->low->shape.suspend_of[inst];
  LLVMValueRef *values = CORO_NEW_ARRAY(e->low->arena, LLVMValueRef, count);
  if (!values)
    return false;
  for (unsigned i = 0; i < count; i++) {
    values[i] = emit_operand(e, inst, i);
    values[i] = LLVMBuildBitCast(e->builder, values[i], retcon_element_type_if_struct(return_type(e), i + 1), "");
  }
  hook_site_emit_save_and_suspend_hooks(e, inst, suspend);
  build_packed_return(e, e->low->clones[suspend], values, count);
  e->returned = true;
  return true;
}

static void emit_frees_at_end(struct emit *e, uint32_t end)
{
  uint32_t node = e->low->cfg.node_of_inst[end];
  emit_free_of_heap_list_if_any(e, node);
  if (!cfg_has_frame(&e->low->cfg, e->clone_kind, node) || retcon_frame_is_in_buffer(e->low))
    return;
  if (abi_defines_hook(e, HOOK_free))
    emit_hook_call(e, HOOK_free, &(struct hook_site){.inst = end, .suspend = IR_NONE, .memory = e->frame});
  else
    LLVMInstructionSetDebugLoc(emit_call(e, retcon_id_operand(e->low, RETCON_DEALLOCATOR), &e->frame, 1),
                               LLVMInstructionGetDebugLoc(e->low->fn.insts[end]));
}

/* Returns the results of an end; a null continuation if the end is reached without a yield. */
static bool emit_return_of_end(struct emit *e, uint32_t end)
{
  if (!retcon_is_once(e->low) || e->clone_kind == CLONE_RAMP) {
    build_packed_return(e, LLVMConstNull(retcon_element_type_if_struct(return_type(e), 0)), NULL, 0);
    return true;
  }
  uint32_t results = retcon_end_results_inst_or_none(e->low, end);
  unsigned count = results == IR_NONE ? 0 : LLVMGetNumArgOperands(e->low->fn.insts[results]);
  LLVMValueRef *values = CORO_NEW_ARRAY(e->low->arena, LLVMValueRef, count);
  if (!values)
    return false;
  for (unsigned i = 0; i < count; i++)
    values[i] = emit_operand(e, results, i);
  build_packed_return(e, NULL, values, count);
  return true;
}

static bool lower_end(struct emit *e, uint32_t inst)
{
  bool unwinds = coro_is_unwind_end(&e->low->fn, inst);
  hook_site_emit_end_hook_if_frame(e, inst, NULL, NULL);
  emit_frees_at_end(e, inst);
  e->returned = !unwinds || LLVMGetNumOperandBundles(e->low->fn.insts[inst]) > 0;
  if (unwinds && e->returned)
    LLVMBuildCleanupRet(e->builder, emit_first_bundle_operand(e, inst), NULL);
  return unwinds || emit_return_of_end(e, inst);
}

bool retcon_lower_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin)
{
  switch (intrin) {
  case INTRIN_BEGIN: return lower_begin(e, inst);
  case INTRIN_SUSPEND_RETCON: return lower_suspend(e, inst);
  case INTRIN_END: return lower_end(e, inst);
  case INTRIN_END_RESULTS: return true; /* looked up at its uses */
  default:
    if (!intrin_is_id(intrin))
      emit_common_intrinsic_or_copy(e, inst, intrin);
    return true;
  }
}

/* The value of an argument of the resumption. A swifterror parameter cannot be a value; the coroutine's own
   swifterror alloca is used instead. */
static LLVMValueRef resume_parameter_or_poison_if_swifterror(struct emit *e, unsigned index)
{
  LLVMValueRef parameter = LLVMGetParam(e->function, index + 1);
  return parameter == ir_swifterror_param(e->function) ? LLVMGetPoison(LLVMTypeOf(parameter)) : parameter;
}

LLVMValueRef retcon_emit_suspend_result_or_null(struct emit *e, uint32_t suspend, uint32_t node)
{
  (void)node;
  LLVMValueRef inst = e->low->fn.insts[e->low->shape.suspends[suspend].inst];
  LLVMTypeRef type = LLVMTypeOf(inst);
  if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
    return NULL;
  if (retcon_is_dynamic(e->low) && !LLVMGetFirstUse(inst))
    return LLVMGetPoison(type); /* unused: retcon_check does not compare its type with the prototype */
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
    return resume_parameter_or_poison_if_swifterror(e, 0);
  LLVMValueRef aggregate = LLVMGetPoison(type);
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
    aggregate = LLVMBuildInsertValue(e->builder, aggregate, resume_parameter_or_poison_if_swifterror(e, i), i, "");
  return aggregate;
}
