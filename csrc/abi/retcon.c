/* The returned-continuation ABIs: each suspend has a continuation function, which the previous call returned. The frame
   is in the caller's buffer if it fits, else in allocated memory whose address is in the buffer.
   Requires: crossing, allocas and frame of a coroutine.
   Guarantees: functions f.resume.N after the ramp; the coroutine's intrinsics are lowered. */
#include "abi/abi.h"
#include "abi/hook_module.h"
#include "abi/retcon_internal.h"
#include "emit/declare.h"
#include "ir/async_pointer.h"
#include "ir/call_signature.h"
#include "ir/edit.h"
#include "transform/swifterror.h"

static LLVMValueRef retcon_declare_continuation(const struct coro_lowering *low, uint32_t suspend)
{
  LLVMValueRef prototype = retcon_id_operand(low, RETCON_PROTOTYPE);
  char *suffix = coro_arena_append_number(low->arena, "resume.", suspend);
  LLVMValueRef clone =
      declare_clone_of_prototype(low, suffix ? suffix : "", prototype, declare_attribute_holds_for_buffer);
  declare_mark_dereferenceable_pointer(clone, 1, retcon_id_number(low, RETCON_ALIGN), retcon_buffer_size(low));
  return clone;
}

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

/* Gives the frame only the header of a custom ABI, if any. Limits the alignment of fields to the minimum of the
   buffer's and the allocator's, since the allocator only receives a size. A dynamic coroutine's frame is always in the
   buffer. */
void retcon_fill_header_layout(const struct coro_lowering *low, struct coro_frame_header *h)
{
  uint64_t max_align = ir_malloc_align(low->context, low->layout), buffer = retcon_id_number(low, RETCON_ALIGN);
  if (buffer < max_align || retcon_is_dynamic(low))
    max_align = buffer;
  *h = (struct coro_frame_header){.align = 1, .allocator_align = max_align, .max_spill_align = max_align};
  hook_module_append_header_field(low, h);
}

static bool has_no_escaping_frame_address(const struct coro_lowering *low)
{
  if (low->abi->hook_module) /* its hooks may let the frame's address escape */
    return false;
  for (uint32_t a = 0; a < low->allocas.count; a++)
    if (low->allocas.items[a].in_frame &&
        (low->allocas.items[a].escapes || low->allocas.items[a].alias_live_across_suspend))
      return false;
  return true;
}

/* Removes attributes of the coroutine's result: a continuation's address replaces it. */
static void drop_noreturn_and_result_attributes(LLVMValueRef ramp)
{
  edit_remove_function_attribute(ramp, "noreturn");
  edit_remove_attribute(ramp, LLVMAttributeReturnIndex, "noalias");
  edit_remove_attribute(ramp, LLVMAttributeReturnIndex, "nonnull");
}

uint32_t retcon_buffer_parameter_or_none(const struct coro_lowering *low)
{
  uint32_t buffer = ir_operand(&low->fn, low->shape.id, retcon_index(low, RETCON_BUFFER));
  return buffer < low->fn.arg_count ? buffer : IR_NONE;
}

bool retcon_passes_error(const struct coro_lowering *low)
{
  return ir_swifterror_param(retcon_id_operand(low, RETCON_PROTOTYPE)) != NULL;
}

/* Stores the size of the frame in the coroutine function pointer of the dynamic ABI. Coroutines may share it; it then
   holds the largest size. Marks the buffer parameter of continuations as noalias if no address in the frame escapes,
   and no field holds an address in the frame, which a continuation would reload instead of deriving it from its
   parameter. */
static bool set_frame_size_and_noalias_buffer(struct coro_lowering *low, struct emit_hooks *hooks)
{
  (void)hooks;
  if (retcon_is_dynamic(low))
    async_pointer_raise_context_size(async_pointer(LLVMGetOperand(low->fn.insts[low->shape.id], DYNAMIC_POINTER)),
                                     retcon_buffer_size(low));
  bool private_buffer = has_no_escaping_frame_address(low);
  for (uint32_t k = 0; k < low->clone_count && private_buffer; k++)
    declare_add_enum_attribute(low->clones[k], 1, "noalias", 0);
  return true;
}

const struct abi_clones retcon_clones = {.hooks = {.enter_clone = retcon_emit_frame_from_buffer,
                                                   .intrinsic = retcon_lower_intrinsic,
                                                   .suspend_result = retcon_emit_suspend_result_or_null,
                                                   .allocate = retcon_emit_allocator_call,
                                                   .deallocate = retcon_emit_deallocator_call},
                                         .declare = retcon_declare_continuation,
                                         .begin = set_frame_size_and_noalias_buffer,
                                         .end = drop_noreturn_and_result_attributes};

const struct coro_abi coro_abi_retcon = {.name = "returned continuation",
                                         .ids = 1u << CORO_ABI_RETCON | 1u << CORO_ABI_RETCON_ONCE,
                                         RETCON_COMMON,
                                         .check = retcon_check,
                                         .check_frame = retcon_check_frame_fits_allocator};
