/* The switched-resume ABI: f.noalloc, the ramp for callers that have room for the frame themselves.
   Needs: the clones. Leaves: a second ramp, with the frame's address as its last parameter. */
#include "abi/switch_parts.h"
#include "ir/edit.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

static bool is_safe_call(LLVMValueRef user, LLVMValueRef callee)
{
  return edit_is_call(user) && LLVMGetCalledValue(user) == callee && edit_call_has_attribute(user, "coro_elide_safe") &&
         edit_has_attribute(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), on_function, "presplitcoroutine");
}

bool switch_wants_noalloc(const struct coro_lowering *low)
{
  LLVMValueRef function = low->fn.function;
  if (edit_has_attribute(function, on_function, "noinline"))
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
    if (is_safe_call(LLVMGetUser(use), function))
      return true;
  return false;
}

bool switch_make_noalloc(struct coro_lowering *low, const struct emit_hooks *hooks, LLVMValueRef noalloc)
{
  struct emit e;
  struct switch_data data = *(const struct switch_data *)hooks->data;
  struct emit_hooks own = *hooks;
  own.data = &data;
  data.caller = LLVMGetLastParam(noalloc);
  bool ok = emit_start(&e, low, &own, PART_RAMP, noalloc, IR_NONE);
  if (ok) {
    e.entry = e.blocks[0];
    ok = emit_nodes(&e);
  }
  emit_finish(&e);
  return ok;
}
