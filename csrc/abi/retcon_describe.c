/* Descriptions of returned-continuation coroutines for reports.
   Requires: the frame of a coroutine.
   Guarantees: strings in the given arena; the function is unchanged. */
#include "abi/retcon_internal.h"
#include "ir/async_pointer.h"
#include "ir/call_signature.h"
#include "ir/edit.h"

static const char *name_or_empty(struct coro_arena *arena, LLVMValueRef global)
{
  const char *name = coro_arena_printf(arena, "%s", edit_value_name(global));
  return name ? name : "";
}

void retcon_describe_coroutine(const struct coro_lowering *low, struct coro_arena *arena, coro_coroutine_info *info)
{
  info->storage_size = retcon_buffer_size(low);
  info->storage_align = retcon_id_number(low, RETCON_ALIGN);
  info->storage_argument = low->frame_argument == IR_NONE ? CORO_NONE : low->frame_argument;
  info->frame_in_storage = retcon_frame_is_in_buffer(low);
  info->prototype = name_or_empty(arena, retcon_id_operand(low, RETCON_PROTOTYPE));
  info->allocator = name_or_empty(arena, retcon_id_operand(low, RETCON_ALLOCATOR));
  info->deallocator = name_or_empty(arena, retcon_id_operand(low, RETCON_DEALLOCATOR));
  if (retcon_is_dynamic(low))
    info->function_pointer =
        name_or_empty(arena, async_pointer(LLVMGetOperand(low->fn.insts[low->shape.id], DYNAMIC_POINTER)));
  info->ramp_type = ir_call_signature_text(arena, low->fn.function);
  info->resume_type = ir_call_signature_text(arena, retcon_id_operand(low, RETCON_PROTOTYPE));
}
