/* Lowers llvm.coro.await.suspend.* of switched-resume coroutines: calls of the awaiter's function, and symmetric
   transfer to the coroutine that it returns.
   Requires: emission in progress.
   Guarantees: a transfer ends the clone. */
#include "abi/switch_internal.h"
#include "emit/copy.h"
#include "emit/edges.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "transform/tailcall.h"

LLVMValueRef switch_emit_call_of_await_function(struct emit *e, uint32_t inst, LLVMTypeRef result,
                                                LLVMBasicBlockRef normal)
{
  LLVMTypeRef types[2] = {emit_pointer(e), emit_pointer(e)};
  LLVMValueRef arguments[2] = {emit_operand(e, inst, AWAIT_AWAITER), emit_operand(e, inst, AWAIT_COROUTINE)};
  LLVMTypeRef type = LLVMFunctionType(result, types, 2, false);
  struct emit_callee callee = {type, emit_operand(e, inst, AWAIT_FUNCTION), arguments, 2};
  return emit_replace_by_call(e, inst, &callee, normal);
}

static LLVMValueRef emit_call_of_resume_function(struct emit *e, LLVMValueRef handle)
{
  LLVMValueRef subfn = intrin_declare(e->low->table, e->low->module, INTRIN_SUBFN_ADDR, NULL, 0);
  LLVMValueRef arguments[2] = {handle, LLVMConstInt(LLVMInt8TypeInContext(e->low->context), 0, false)};
  struct emit_callee resume = {switch_clone_type(e->low->context), edit_build_call(e->builder, subfn, arguments, 2, ""),
                               &handle, 1};
  LLVMValueRef call = emit_call_as(e, &resume);
  LLVMSetInstructionCallConv(call, LLVMFastCallConv);
  return call;
}

/* Resumes `next` as the clone's last call without using stack: a tail call if the target guarantees one, else
   through the loop of switch_transfer.c. */
static LLVMValueRef emit_tail_call_or_transfer_by_loop(struct emit *e, LLVMValueRef next)
{
  bool is_musttail =
      tailcall_is_guaranteed(e->function) && LLVMGlobalGetValueType(e->function) == switch_clone_type(e->low->context);
  if (!is_musttail && switch_can_transfer_in_loop(e))
    return switch_emit_transfer_by_loop(e, next);
  LLVMValueRef call = emit_call_of_resume_function(e, next);
  LLVMSetTailCallKind(call, is_musttail ? LLVMTailCallKindMustTail : LLVMTailCallKindTail);
  return call;
}

bool switch_lower_await_handle(struct emit *e, uint32_t inst)
{
  bool invoke = e->low->fn.opcode[inst] == LLVMInvoke;
  LLVMBasicBlockRef transfer = invoke ? LLVMAppendBasicBlockInContext(e->low->context, e->function, "transfer") : NULL;
  LLVMValueRef next = switch_emit_call_of_await_function(e, inst, emit_pointer(e), transfer);
  if (invoke)
    LLVMPositionBuilderAtEnd(e->builder, transfer);
  if (e->clone_kind != CLONE_RAMP)
    switch_call_suspend_hook(e, inst, switch_suspend_of_await_or_none(e, inst));
  LLVMValueRef call =
      e->clone_kind == CLONE_RAMP ? emit_call_of_resume_function(e, next) : emit_tail_call_or_transfer_by_loop(e, next);
  LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(e->low->fn.insts[inst]));
  if (e->clone_kind != CLONE_RAMP) {
    emit_clone_return(e, e->builder);
    e->returned = true;
  } else if (invoke)
    emit_branch_to_normal_destination(e, inst, transfer);
  return true;
}
