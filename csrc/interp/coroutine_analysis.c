/* Analyzes coroutine intrinsics of a function when it is decoded. */
#include "interp/coroutine_analysis.h"

#include "ir/edit.h"
#include "ir/flow.h"

static void find_promise_of_id(struct interp *in, struct function *function, LLVMValueRef id)
{
  LLVMValueRef promise = LLVMGetOperand(id, ID_PROMISE);
  if (!LLVMIsAAllocaInst(promise))
    return;
  function->promise_inst = ir_inst(&function->fn, promise);
  function->promise = layout_of_llvm_type(in, LLVMGetAllocatedType(promise));
  function->promise_align = LLVMGetAlignment(promise);
}

/* A suspend is final only if its flag is the constant true. */
static bool is_final_suspend(LLVMValueRef suspend)
{
  return edit_is_nonzero_integer_constant(LLVMGetOperand(suspend, SUSPEND_FINAL));
}

void analyze_coroutine_intrinsics(struct interp *in, struct function *function)
{
  const struct ir_fn *fn = &function->fn;
  function->final = function->promise_inst = IR_NONE;
  for (uint32_t i = 0; i < fn->inst_count; i++) {
    enum intrin intrin = intrin_of_call(&in->intrinsics, fn->insts[i]);
    function->coroutine |= intrin == INTRIN_BEGIN || intrin == INTRIN_BEGIN_CUSTOM_ABI;
    function->allocates |= intrin == INTRIN_ALLOC;
    function->suspends |= intrin == INTRIN_SUSPEND || intrin == INTRIN_SUSPEND_RETCON || intrin == INTRIN_SUSPEND_ASYNC;
    if (intrin_is_id(intrin)) {
      function->abi = intrin;
      function->id = fn->insts[i];
    }
    if (intrin == INTRIN_ID)
      find_promise_of_id(in, function, fn->insts[i]);
    if (intrin == INTRIN_SUSPEND && is_final_suspend(fn->insts[i]))
      function->final = i;
  }
}

/* The suspend that uses a save. */
static LLVMValueRef suspend_of_save(const struct interp *in, LLVMValueRef save)
{
  for (LLVMUseRef use = LLVMGetFirstUse(save); use; use = LLVMGetNextUse(use))
    if (intrin_of_call(&in->intrinsics, LLVMGetUser(use)) == INTRIN_SUSPEND)
      return LLVMGetUser(use);
  return NULL;
}

/* True if, when the suspend returns -1, control reaches coro.end without side effects. */
static bool reaches_end_without_effects_from_suspend(const struct interp *in, LLVMValueRef suspend)
{
  LLVMValueRef at = LLVMGetNextInstruction(suspend);
  for (int steps = 0; at && steps < 64; steps++) {
    if (intrin_of_call(&in->intrinsics, at) == INTRIN_END)
      return LLVMIsNull(LLVMGetOperand(at, END_UNWINDS));
    bool chooses = flow_switch_operand(at) == suspend;
    for (unsigned i = 1; chooses && i < LLVMGetNumSuccessors(at); i++)
      if (LLVMConstIntGetSExtValue(LLVMGetSwitchCaseValue(at, i)) == -1)
        return false;
    if (chooses || flow_is_jump(at))
      at = LLVMGetFirstInstruction(LLVMGetSuccessor(at, 0));
    else if (LLVMIsAPHINode(at))
      at = LLVMGetNextInstruction(at);
    else
      return false;
  }
  return false;
}

/* The suspend that uses the address of a coro.async.resume. */
static LLVMValueRef suspend_using_async_resume_address(const struct interp *in, const struct ir_fn *fn,
                                                       LLVMValueRef address)
{
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use))
    if (intrin_of_call(&in->intrinsics, LLVMGetUser(use)) == INTRIN_SUSPEND_ASYNC &&
        LLVMGetOperand(LLVMGetUser(use), ASYNC_SUSPEND_RESUME) == address &&
        ir_id(fn, LLVMGetUser(use)) != IR_NONE) /* reachable */
      return LLVMGetUser(use);
  return NULL;
}

void decode_coroutine_intrinsic(struct decoding *d, struct call *call)
{
  const struct ir_fn *fn = &d->function->fn;
  LLVMValueRef inst = d->op->inst, next;
  switch (intrin_of_call(&d->in->intrinsics, inst)) {
  case INTRIN_SAVE: call->token = ir_inst(fn, suspend_of_save(d->in, inst)); break;
  case INTRIN_SUSPEND: call->token = ir_inst(fn, LLVMGetOperand(inst, SUSPEND_SAVE)); break;
  case INTRIN_END:
    call->token = ir_inst(fn, LLVMGetOperand(inst, END_TOKEN));
    for (next = LLVMGetNextInstruction(inst); next; next = LLVMGetNextInstruction(next))
      call->queries_in_ramp |= intrin_of_call(&d->in->intrinsics, next) == INTRIN_IS_IN_RAMP;
    break;
  case INTRIN_ASYNC_RESUME: call->token = ir_inst(fn, suspend_using_async_resume_address(d->in, fn, inst)); break;
  case INTRIN_AWAIT_HANDLE:
    next = LLVMGetNextInstruction(inst); /* NULL after an invoke */
    call->tail = next && intrin_of_call(&d->in->intrinsics, next) == INTRIN_SUSPEND &&
                 reaches_end_without_effects_from_suspend(d->in, next);
    break;
  default: break;
  }
}
