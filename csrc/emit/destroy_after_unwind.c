/* Destruction after an exception: destroy runs the ramp's exception cleanup as normal code. */
#include "emit/destroy_after_unwind.h"

#include "emit/call.h"
#include "emit/edges.h"
#include "emit/lookup.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

/* Replaces an exit of a pad by a branch to the next pad's code, or by a return. */
static void return_from_pad(struct emit *e, uint32_t inst, uint32_t node)
{
  LLVMBasicBlockRef to = LLVMGetUnwindDest(e->low->fn.insts[inst]);
  if (unwound_is_never_executed(&e->low->cfg, inst))
    LLVMBuildUnreachable(e->builder);
  else if (to)
    LLVMBuildBr(e->builder, emit_successor_of(e, node, to));
  else
    emit_clone_return(e, e->builder);
}

bool emit_skips_propagation(struct emit *e, uint32_t inst, uint32_t node)
{
  if (!emit_is_ramp_only(e, inst))
    return false;
  if (e->low->fn.opcode[inst] == LLVMResume)
    emit_clone_return(e, e->builder);
  else if (e->low->fn.opcode[inst] == LLVMCleanupRet)
    return_from_pad(e, inst, node);
  return true;
}

LLVMValueRef emit_call_outside_pads(struct emit *e, uint32_t inst)
{
  bool in_pad = e->low->fn.opcode[inst] == LLVMCall && LLVMGetNumOperandBundles(e->low->fn.insts[inst]);
  if (e->clone_kind == CLONE_RAMP || !in_pad ||
      !unwound_is_cleanup_block(&e->low->destroy_after_unwind, e->low->fn.inst_block[inst]))
    return NULL;
  LLVMValueRef source = e->low->fn.insts[inst];
  unsigned count = LLVMGetNumArgOperands(source);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(e->low->arena, LLVMValueRef, count + 1);
  if (!arguments)
    return LLVMGetPoison(LLVMTypeOf(source));
  for (unsigned i = 0; i < count; i++)
    arguments[i] = emit_operand(e, inst, i);
  LLVMValueRef callee = emit_operand(e, inst, (unsigned)LLVMGetNumOperands(source) - 1);
  struct emit_callee plain = {LLVMGetCalledFunctionType(source), callee, arguments, count};
  LLVMValueRef call = emit_call_as(e, &plain);
  LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(source));
  LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(source));
  edit_call_copy_attributes(e->low->arena, source, call, NULL);
  return call;
}

static LLVMTypeRef exception_flag_type(const struct emit *e)
{
  return LLVMInt1TypeInContext(e->low->context);
}

static LLVMValueRef was_coroutine_done(struct emit *e)
{
  if (!e->ended_by_exception) {
    LLVMPositionBuilderBefore(e->aside_builder, e->slot_position);
    e->ended_by_exception = LLVMBuildAlloca(e->aside_builder, exception_flag_type(e), "was.done");
    LLVMBuildStore(e->aside_builder, LLVMConstNull(exception_flag_type(e)), e->ended_by_exception);
  }
  return e->ended_by_exception;
}

void emit_landing_after_exception(struct emit *e)
{
  if (e->low->destroy_after_unwind.shared)
    LLVMBuildStore(e->builder, LLVMConstAllOnes(exception_flag_type(e)), was_coroutine_done(e));
}

void emit_before_eh_resume(struct emit *e, uint32_t inst)
{
  const struct coro_destroy_after_unwind *unwound = &e->low->destroy_after_unwind;
  if (!unwound->shared || !(e->clone_kind & (CLONE_DESTROY | CLONE_CLEANUP)) ||
      coro_bits_get(&unwound->thrown, e->low->fn.inst_block[inst]))
    return;
  LLVMBasicBlockRef propagate = LLVMAppendBasicBlockInContext(e->low->context, e->function, "hand.on");
  LLVMBuildCondBr(e->builder, LLVMBuildLoad2(e->builder, exception_flag_type(e), was_coroutine_done(e), ""),
                  emit_return_block(e), propagate);
  LLVMPositionBuilderAtEnd(e->builder, propagate);
}
