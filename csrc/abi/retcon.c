/* The returned-continuation ABIs: each suspend has a continuation function, which the previous call returned. The frame
   is in the caller's buffer if it fits, else in allocated memory whose address is in the buffer.
   Requires: crossing, allocas and frame of a coroutine.
   Guarantees: functions f.resume.N after the ramp; the coroutine's intrinsics are lowered. */
#include "abi/abi.h"
#include "abi/common_hook_sites.h"
#include "abi/hook_module.h"
#include "abi/retcon_internal.h"
#include "abi/split.h"
#include "emit/declare.h"
#include "ir/edit.h"
#include "transform/swifterror.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

/* Gives the frame only the header of a custom ABI, if any. Limits the alignment of fields to the minimum of the
   buffer's and the allocator's, since the allocator only receives a size. A dynamic coroutine's frame is always in the
   buffer. */
void retcon_fill_header_layout(const struct coro_lowering *low, struct coro_frame_header *h)
{
  uint64_t max_align = ir_malloc_align(low->context, low->layout), buffer = retcon_id_number(low, RETCON_ALIGN);
  if (buffer < max_align || retcon_is_dynamic(low))
    max_align = buffer;
  *h = (struct coro_frame_header){.align = 1, .allocator_align = max_align, .max_spill_align = max_align};
  hook_module_add_header(low, h);
}

static bool is_frame_private_to_coroutine(const struct coro_lowering *low)
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
static void drop_result_attributes(LLVMValueRef ramp)
{
  edit_remove_attribute(ramp, on_function, "noreturn");
  edit_remove_attribute(ramp, LLVMAttributeReturnIndex, "noalias");
  edit_remove_attribute(ramp, LLVMAttributeReturnIndex, "nonnull");
}

uint32_t retcon_frame_argument(const struct coro_lowering *low)
{
  uint32_t buffer = ir_operand(&low->fn, low->shape.id, retcon_index(low, RETCON_BUFFER));
  return buffer < low->fn.arg_count ? buffer : IR_NONE;
}

bool retcon_passes_error(const struct coro_lowering *low)
{
  return ir_swifterror_param(retcon_id_operand(low, RETCON_PROTOTYPE)) != NULL;
}

/* Marks the buffer parameter of continuations as noalias if no address in the frame escapes, and no field holds an
   address in the frame, which a continuation would reload instead of deriving it from its parameter. */
static bool mark_private_buffers_noalias(struct coro_lowering *low, struct emit_hooks *hooks)
{
  (void)hooks;
  bool private_buffer = is_frame_private_to_coroutine(low);
  for (uint32_t k = 0; k < low->clone_count && private_buffer; k++)
    declare_attribute(low->clones[k], 1, "noalias", 0);
  return true;
}

coro_status retcon_split(struct coro_lowering *low)
{
  static const struct abi_clones clone_table = {.hooks = {.enter_clone = retcon_find_frame_in_buffer,
                                                          .intrinsic = retcon_lower_intrinsic,
                                                          .suspend_result = retcon_suspend_result,
                                                          .allocate = retcon_emit_allocator_call,
                                                          .deallocate = retcon_emit_deallocator_call},
                                                .declare = retcon_declare_continuation,
                                                .begin = mark_private_buffers_noalias,
                                                .end = drop_result_attributes};
  return abi_split(low, &clone_table);
}

const struct coro_abi coro_abi_retcon = {.name = "returned continuation",
                                         .ids = 1u << CORO_ABI_RETCON | 1u << CORO_ABI_RETCON_ONCE,
                                         RETCON_COMMON,
                                         .check = retcon_check,
                                         .check_frame = retcon_check_frame,
                                         .split = retcon_split};
