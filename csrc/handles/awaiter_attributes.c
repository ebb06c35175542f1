/* The intrinsic hides await_suspend from LLVM's passes until the split, so they assume that it captures and changes the
   awaiter. An awaiter is often an object that holds the handle of the awaited coroutine, and await_suspend only reads
   it:
     call void @llvm.coro.await.suspend.handle(ptr captures(none) readonly %task, ptr %handle, ptr @f.await)
   With the attributes, a load after the suspend has the value of a store before it, so the handle stays an SSA
   value. */
#include "handles/awaiter_attributes.h"

#include "handles/handle_effects.h"
#include "ir/edit.h"

enum {
  MAX_LENGTH = 4096
}; /* in instructions of a function; passes may visit it once for each coroutine that it awaits */

/* Whether the awaiter of an await intrinsic is an alloca without inferred attributes. */
static bool has_alloca_awaiter_without_nocapture(const struct pass_run *run, LLVMValueRef call)
{
  switch (intrin_of_call(run->intrin, call)) {
  case INTRIN_AWAIT_VOID:
  case INTRIN_AWAIT_BOOL:
  case INTRIN_AWAIT_HANDLE:
    return LLVMIsAAllocaInst(edit_strip_geps(LLVMGetOperand(call, AWAIT_AWAITER))) &&
           !edit_is_nocapture(call, AWAIT_AWAITER);
  default: return false;
  }
}

static bool infer_awaiter_attributes(struct handle_effects *effects, LLVMValueRef call, bool *changed)
{
  struct trace trace;
  struct address_effect effect;
  handle_effects_init_trace(effects, effects->run, &trace, edit_function_of(call));
  if (!trace_address_effect(&trace, call, LLVMGetOperand(call, AWAIT_FUNCTION), AWAIT_AWAITER, &effect))
    return false;
  if (effect.captures || effect.returns || effect.writes)
    return true;
  edit_add_attribute(call, AWAIT_AWAITER + 1, "captures");
  edit_add_attribute(call, AWAIT_AWAITER + 1, "readonly");
  *changed = true;
  return true;
}

bool awaiter_attributes_infer(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct handle_effects effects;
  if (!edit_is_presplit_definition(function) || edit_has_more_instructions_than(function, MAX_LENGTH))
    return true;
  handle_effects_init(&effects, run);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (has_alloca_awaiter_without_nocapture(run, at) && !infer_awaiter_attributes(&effects, at, changed))
        return false;
  return true;
}
