/* Describes async coroutines for reports.
   Requires: the frame of a coroutine.
   Guarantees: strings in the given arena; the function is unchanged. */
#include "abi/async_internal.h"
#include "ir/async_pointer.h"
#include "ir/call_signature.h"
#include "ir/edit.h"

void async_describe_coroutine(const struct coro_lowering *low, struct coro_arena *arena, coro_coroutine_info *info)
{
  LLVMValueRef pointer = async_pointer(LLVMGetOperand(low->fn.insts[low->shape.id], ASYNC_ID_POINTER));
  const char *name = coro_arena_printf(arena, "%s", edit_value_name(pointer));
  info->storage_size = async_context_size(low);
  info->storage_align = async_context_align(low);
  info->storage_argument = low->frame_argument;
  info->frame_in_storage = true;
  info->frame_offset = async_frame_offset(low);
  info->function_pointer = name ? name : "";
  info->ramp_type = ir_call_signature_text(arena, low->fn.function);
}
