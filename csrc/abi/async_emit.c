/* Lowers the intrinsics of async coroutines, and computes the frame's address in continuations.
   Requires: emission in progress.
   Guarantees: no clone contains a suspend or an end; each exit is a tail call of the function that continues. */
#include "abi/async_internal.h"
#include "abi/common_hook_sites.h"
#include "debug/clone_metadata.h"
#include "emit/call.h"
#include "emit/copy.h"
#include "emit/frame_address.h"
#include "emit/heap_allocas.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "llvm-c/DebugInfo.h"
#include "transform/inline.h"
#include "transform/tailcall.h"

/* ---- Tail calls ---- */

struct inlined_call {
  struct emit *e;
  LLVMMetadataRef at; /* presplit location */
};

static LLVMMetadataRef inlined_location(void *user, LLVMMetadataRef at)
{
  const struct inlined_call *inlined_call = user;
  return inlined_call->e->debug ? debug_location_in_inlined_code(inlined_call->e->debug, inlined_call->at, at) : NULL;
}

/* Also converts between a pointer and an integer. */
static LLVMValueRef emit_cast_of_equal_size_if_needed(struct emit *e, LLVMValueRef value, LLVMTypeRef type)
{
  LLVMTypeRef from = LLVMTypeOf(value);
  if (from == type)
    return value;
  if (edit_is_pointer(from))
    return LLVMBuildPtrToInt(e->builder, value, type, "");
  if (edit_is_pointer(type))
    return LLVMBuildIntToPtr(e->builder, value, type, "");
  return LLVMBuildBitCast(e->builder, value, type, "");
}

/* Ends the clone with a tail call of operand `at`, passing the operands from `first` on. If the callee is a wrapper
   that itself makes the tail call, its body is inlined. */
static bool emit_tail_call_and_return(struct emit *e, uint32_t inst, unsigned at, unsigned first_argument)
{
  LLVMValueRef source = e->low->fn.insts[inst], callee = async_function_of_operand_or_null(LLVMGetOperand(source, at)),
               none;
  unsigned count = LLVMCountParams(callee);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(e->low->arena, LLVMValueRef, count);
  struct inlined_call inlined_call = {e, LLVMInstructionGetDebugLoc(source)};
  if (!arguments)
    return false;
  for (unsigned p = 0; p < count; p++)
    arguments[p] = emit_cast_of_equal_size_if_needed(e, emit_operand(e, inst, first_argument + p),
                                                     LLVMTypeOf(LLVMGetParam(callee, p)));
  e->returned = true;
  if (inline_is_possible(e->low->table, e->function, callee)) {
    struct inline_call call = {
        .callee = callee, .arguments = arguments, .tail = true, .locate = inlined_location, .user = &inlined_call};
    return emit_inlined_body(e, inst, &call, &none);
  }
  LLVMValueRef call = emit_call(e, callee, arguments, count);
  LLVMInstructionSetDebugLoc(call, inlined_call.at);
  LLVMSetTailCallKind(call, tailcall_strongest_kind(call));
  LLVMBuildRetVoid(e->builder);
  return true;
}

static bool lower_end(struct emit *e, uint32_t inst)
{
  LLVMValueRef end = e->low->fn.insts[inst];
  bool unwinds = coro_is_unwind_end(&e->low->fn, inst), funclet = LLVMGetNumOperandBundles(end) > 0;
  hook_site_emit_end_hook_if_frame(e, inst, NULL, NULL);
  emit_free_of_heap_list_if_any(e, e->low->cfg.node_of_inst[inst]);
  if (unwinds && !funclet)
    return true;
  if (!unwinds && LLVMGetNumArgOperands(end) > ASYNC_END_CALLEE && e->low->shape.intrin[inst] == INTRIN_END_ASYNC)
    return emit_tail_call_and_return(e, inst, ASYNC_END_CALLEE, ASYNC_END_FIRST);
  if (unwinds)
    LLVMBuildCleanupRet(e->builder, emit_first_bundle_operand(e, inst), NULL);
  else
    LLVMBuildRetVoid(e->builder);
  e->returned = true;
  return true;
}

/* ---- The frame ---- */

static void set_frame_after_context(struct emit *e)
{
  e->frame = emit_frame_argument(e);
  e->frame = emit_address_at_frame_offset(e, async_frame_offset(e->low), "async.ctx.frameptr");
}

bool async_emit_frame_by_projection(struct emit *e)
{
  uint32_t suspend = e->low->cfg.nodes[e->landing].suspend;
  LLVMValueRef inst = e->low->fn.insts[e->low->shape.suspends[suspend].inst];
  LLVMValueRef projection = async_function_of_operand_or_null(LLVMGetOperand(inst, ASYNC_SUSPEND_PROJECTION));
  LLVMValueRef argument = LLVMGetParam(e->function, async_context_parameter_index(e->low, suspend)), context = NULL;
  if (inline_is_possible(e->low->table, e->function, projection)) {
    struct inline_call call = {.callee = projection, .arguments = &argument};
    if (!emit_inlined_body(e, e->low->shape.suspends[suspend].inst, &call, &context))
      return false;
    if (!context) /* the projection does not return */
      context = LLVMGetPoison(LLVMTypeOf(argument));
  } else {
    context = emit_call(e, projection, &argument, 1);
  }
  e->frame_argument = context;
  set_frame_after_context(e);
  return true;
}

/* ---- Values ---- */

static bool lower_async_resume(struct emit *e, uint32_t inst)
{
  const uint32_t *suspend_using_async_resume_address = e->hooks->data;
  uint32_t suspend = suspend_using_async_resume_address[inst];
  if (suspend == IR_NONE)
    emit_copy_define_and_spill(e, inst); /* the suspend no longer exists; coro-cleanup lowers it */
  else
    emit_define_and_spill(e, inst, edit_cast_to_default_pointer(e->low->clones[suspend]));
  return true;
}

LLVMValueRef async_emit_suspend_result(struct emit *e, uint32_t suspend, uint32_t node)
{
  LLVMTypeRef type = LLVMTypeOf(e->low->fn.insts[e->low->shape.suspends[suspend].inst]);
  LLVMValueRef result = LLVMGetPoison(type);
  unsigned count = LLVMCountStructElementTypes(type);
  (void)node;
  for (unsigned i = 0; i < count; i++)
    result = LLVMBuildInsertValue(e->builder, result, LLVMGetParam(e->function, i), i, "");
  return result;
}

bool async_lower_intrinsic(struct emit *e, uint32_t inst, enum intrin intrin)
{
  switch (intrin) {
  case INTRIN_BEGIN: set_frame_after_context(e); return true;
  case INTRIN_SUSPEND_ASYNC:
    hook_site_emit_save_and_suspend_hooks(e, inst, e->low->shape.suspend_of[inst]);
    return emit_tail_call_and_return(e, inst, ASYNC_SUSPEND_CALLEE, ASYNC_SUSPEND_FIRST);
  case INTRIN_ASYNC_RESUME: return lower_async_resume(e, inst);
  case INTRIN_END:
  case INTRIN_END_ASYNC: return lower_end(e, inst);
  case INTRIN_ID_ASYNC: return true; /* looked up at its uses */
  default: emit_common_intrinsic_or_copy(e, inst, intrin); return true;
  }
}

/* ---- Debug information: where the frame is ---- */

/* DWARF operations equivalent to the context projection, or NULL. Known projections return their argument or load
   through it. */
static const char *dwarf_operations_of_projection_or_null(LLVMValueRef projection)
{
  LLVMBasicBlockRef entry = LLVMIsDeclaration(projection) ? NULL : LLVMGetEntryBasicBlock(projection);
  LLVMValueRef end = entry ? LLVMGetBasicBlockTerminator(entry) : NULL, argument = LLVMGetParam(projection, 0);
  if (!end || LLVMGetInstructionOpcode(end) != LLVMRet)
    return NULL;
  LLVMValueRef returned = LLVMGetOperand(end, RET_VALUE);
  if (returned == argument)
    return "DW_OP_LLVM_entry_value, 1";
  bool loads = LLVMIsALoadInst(returned) && LLVMGetOperand(returned, LOAD_ADDRESS) == argument;
  return loads ? "DW_OP_LLVM_entry_value, 1, DW_OP_deref" : NULL;
}

/* Finds the value from which debuggers compute the frame's address. False: none; LLVM can describe a register on
   64-bit targets only. */
bool async_find_debug_base(const struct emit *e, struct debug_base *base)
{
  const struct coro_lowering *low = e->low;
  base->offset = async_frame_offset(low);
  if (e->clone_kind == CLONE_RAMP) {
    base->parameter = LLVMGetParam(e->function, (unsigned)async_id_number(low, ASYNC_ID_ARGUMENT));
    base->operations = "";
    return true;
  }
  uint32_t suspend = low->cfg.nodes[e->landing].suspend;
  LLVMValueRef inst = low->fn.insts[low->shape.suspends[suspend].inst];
  unsigned context = async_context_parameter_index(low, suspend);
  const char *operations = dwarf_operations_of_projection_or_null(
      async_function_of_operand_or_null(LLVMGetOperand(inst, ASYNC_SUSPEND_PROJECTION)));
  if (!operations || LLVMPointerSize(low->layout) != 8 || !edit_has_attribute(e->function, context + 1, "swiftasync")) {
    base->offset = 0;
    return false;
  }
  base->parameter = LLVMGetParam(e->function, context);
  base->operations = operations;
  return true;
}
