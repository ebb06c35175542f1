/* The switched-resume ABI: the ramp. Its new body is copied behind the old one, which is then taken away.
   Needs: the clones. Leaves: the coroutine's own function running until its first suspend. */
#include "abi/switch_parts.h"

/* A coroutine that never suspends needs no allocation: its frame is a variable, unless it insists on its own memory. */
static LLVMValueRef frame_on_stack(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  LLVMValueRef memory = LLVMGetOperand(low->fn.insts[low->shape.begin], 1);
  if (low->shape.suspend_count || (!switch_has_alloc(low) && !LLVMIsAConstantPointerNull(memory)))
    return NULL;
  LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(low->context), low->frame.size);
  LLVMPositionBuilderAtEnd(e->builder, e->entry);
  LLVMValueRef frame = LLVMBuildAlloca(e->builder, bytes, "frame");
  LLVMSetAlignment(frame, (unsigned)low->frame.align);
  return e->last_alloca = frame;
}

bool switch_make_ramp(struct coro_lowering *low, const struct emit_hooks *hooks)
{
  struct emit e;
  struct switch_data *data = hooks->data;
  bool ok = emit_start(&e, low, hooks, PART_RAMP, low->fn.function, IR_NONE);
  if (ok) {
    e.entry = e.blocks[0];
    data->on_stack = frame_on_stack(&e);
    ok = emit_nodes(&e);
  }
  if (ok) {
    emit_replace_source(&e);
    if (data->on_stack && !LLVMGetFirstUse(data->on_stack))
      LLVMInstructionEraseFromParent(data->on_stack);
  }
  emit_finish(&e);
  return ok;
}
