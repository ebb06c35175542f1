/* Reads the operands of llvm.coro.id.async and llvm.coro.suspend.async.
   Requires: number, shape; the frame, for sizes.
   Guarantees: the function is unchanged. */
#include "abi/async_internal.h"
#include "base/align.h"
#include "ir/edit.h"

/* ---- llvm.coro.id.async ---- */

uint64_t async_id_number(const struct coro_lowering *low, unsigned operand)
{
  return LLVMConstIntGetZExtValue(LLVMGetOperand(low->fn.insts[low->shape.id], operand));
}

uint64_t async_context_align(const struct coro_lowering *low)
{
  uint64_t align = async_id_number(low, ASYNC_ID_ALIGN);
  return align ? align : 1;
}

uint64_t async_frame_offset(const struct coro_lowering *low)
{
  return coro_align_to(async_id_number(low, ASYNC_ID_SIZE), low->frame.align);
}

uint64_t async_context_size(const struct coro_lowering *low)
{
  return coro_align_to(async_frame_offset(low) + low->frame.size, async_context_align(low));
}

/* ---- llvm.coro.suspend.async ---- */

static uint64_t packed_context_and_self_indices(const struct coro_lowering *low, uint32_t suspend)
{
  LLVMValueRef inst = low->fn.insts[low->shape.suspends[suspend].inst];
  return LLVMConstIntGetZExtValue(LLVMGetOperand(inst, ASYNC_SUSPEND_INDICES));
}

unsigned async_context_parameter_index(const struct coro_lowering *low, uint32_t suspend)
{
  return (unsigned)(packed_context_and_self_indices(low, suspend) & 0xff);
}

unsigned async_self_parameter_index_or_0(const struct coro_lowering *low, uint32_t suspend)
{
  return (unsigned)(packed_context_and_self_indices(low, suspend) >> 8);
}

LLVMValueRef async_function_of_operand_or_null(LLVMValueRef value)
{
  value = edit_strip_casts_and_zero_geps(value);
  return LLVMGetValueKind(value) == LLVMFunctionValueKind ? value : NULL;
}

uint32_t async_resume_inst_of_suspend_or_none(const struct coro_lowering *low, uint32_t suspend_inst)
{
  uint32_t id = ir_id(
      &low->fn, edit_strip_casts_and_zero_geps(LLVMGetOperand(low->fn.insts[suspend_inst], ASYNC_SUSPEND_RESUME)));
  uint32_t resume = id == IR_NONE ? IR_NONE : ir_inst_of_value(&low->fn, id);
  return resume != IR_NONE && low->shape.intrin[resume] == INTRIN_ASYNC_RESUME ? resume : IR_NONE;
}

uint32_t *async_suspend_index_of_each_resume(const struct coro_lowering *low)
{
  uint32_t *suspend_of = CORO_NEW_ARRAY(low->arena, uint32_t, low->fn.inst_count);
  for (uint32_t i = 0; suspend_of && i < low->fn.inst_count; i++)
    suspend_of[i] = IR_NONE;
  for (uint32_t k = 0; suspend_of && k < low->shape.suspend_count; k++) {
    uint32_t inst = low->shape.suspends[k].inst;
    bool async = low->shape.intrin[inst] == INTRIN_SUSPEND_ASYNC;
    uint32_t resume = async ? async_resume_inst_of_suspend_or_none(low, inst) : IR_NONE;
    if (resume != IR_NONE)
      suspend_of[resume] = k;
  }
  return suspend_of;
}
