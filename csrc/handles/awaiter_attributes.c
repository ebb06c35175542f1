/* Attributes of the awaiter that a call of llvm.coro.await.suspend.* receives. The intrinsic hides await_suspend from
   LLVM's passes until the split, so they assume that it captures the awaiter and changes it. An awaiter is often an object
   that holds the handle of the awaited coroutine, and await_suspend only reads it:
     call void @llvm.coro.await.suspend.handle(ptr captures(none) readonly %task, ptr %handle, ptr @f.await)
   With the attributes, a load after the suspend has the value of a store before it, so the handle stays an SSA value.
   Requires: handle_effects.
   Guarantees: only attributes of the call change. */
#include "handles/awaiter_attributes.h"

#include "ir/edit.h"

bool awaiter_attributes_are_missing(const struct pass_run *run, LLVMValueRef call)
{
  switch (intrin_of(run->intrin, call)) {
  case INTRIN_AWAIT_VOID:
  case INTRIN_AWAIT_BOOL:
  case INTRIN_AWAIT_HANDLE:
    return LLVMIsAAllocaInst(edit_base_of(LLVMGetOperand(call, AWAIT_AWAITER))) &&
           !edit_is_nocapture(call, AWAIT_AWAITER);
  default: return false;
  }
}

bool awaiter_attributes_infer(struct handle_effects *effects, LLVMValueRef function, LLVMValueRef call, bool *changed)
{
  struct trace trace;
  bool captures, writes;
  handle_effects_trace(effects, effects->run, &trace, function);
  if (!trace_address_effect(&trace, call, LLVMGetOperand(call, AWAIT_FUNCTION), AWAIT_AWAITER, &captures, &writes))
    return false;
  if (captures || writes)
    return true;
  edit_add_attribute(call, AWAIT_AWAITER + 1, "captures");
  edit_add_attribute(call, AWAIT_AWAITER + 1, "readonly");
  *changed = true;
  return true;
}
