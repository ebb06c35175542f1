/* The async ABI: the frame follows the context that the caller allocates, and each suspend has its own continuation
   function.
   Requires: crossing, allocas and frame of a coroutine.
   Guarantees: functions f.resume.N, or the names that Swift's debuggers expect; the async function pointer holds the
   context size including the frame. */
#include "abi/abi.h"
#include "abi/async_internal.h"
#include "abi/hook_module.h"
#include "abi/split.h"
#include "ir/async_pointer.h"
#include "ir/call_signature.h"
#include "ir/edit.h"

static void async_describe_coroutine(const struct coro_lowering *low, struct coro_arena *arena,
                                     coro_coroutine_info *info)
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

/* Gives the frame only the header of a custom ABI, if any: callers know the header of the context. Limits the
   alignment of fields to that of contexts; the address of a more aligned alloca is computed at run time. */
static void async_fill_header_layout(const struct coro_lowering *low, struct coro_frame_header *h)
{
  uint64_t align = async_context_align(low);
  *h = (struct coro_frame_header){.align = 1, .allocator_align = align, .max_spill_align = align};
  hook_module_append_header_field(low, h);
}

/* Removes the computation of the frame's address in a clone that uses no field. */
static void erase_unused_frame_address(struct emit *e)
{
  bool is_instruction = e->frame && e->frame != emit_frame_argument(e) && LLVMIsAInstruction(e->frame);
  if (is_instruction && !LLVMGetFirstUse(e->frame)) {
    LLVMInstructionEraseFromParent(e->frame);
    e->frame = NULL;
  }
}

static uint32_t async_context_argument_number(const struct coro_lowering *low)
{
  return (uint32_t)async_id_number(low, ASYNC_ID_ARGUMENT);
}

/* Stores the context size in the async function pointer. Coroutines may share one; it then holds the maximum. */
static void raise_context_size_in_async_pointer(const struct coro_lowering *low)
{
  LLVMValueRef pointer = async_pointer(LLVMGetOperand(low->fn.insts[low->shape.id], ASYNC_ID_POINTER));
  async_pointer_raise_context_size(pointer, async_context_size(low));
}

static bool set_context_size_and_map_resumes(struct coro_lowering *low, struct emit_hooks *hooks)
{
  raise_context_size_in_async_pointer(low);
  return (hooks->data = async_suspend_index_of_each_resume(low));
}

static void drop_noreturn_attribute(LLVMValueRef ramp)
{
  edit_remove_function_attribute(ramp, "noreturn");
}

static const struct abi_clones clones = {.hooks = {.enter_clone = async_emit_frame_by_projection,
                                                   .end = erase_unused_frame_address,
                                                   .intrinsic = async_lower_intrinsic,
                                                   .suspend_result = async_emit_suspend_result,
                                                   .debug_base = async_find_debug_base},
                                         .declare = async_declare_continuation,
                                         .begin = set_context_size_and_map_resumes,
                                         .end = drop_noreturn_attribute};

const struct coro_abi coro_abi_async = {.name = "async",
                                        .ids = 1u << CORO_ABI_ASYNC,
                                        .suspend_returns = true,
                                        .check = async_check,
                                        .ends_clone = async_musttail_can_end_clone,
                                        .frame_argument = async_context_argument_number,
                                        .header = async_fill_header_layout,
                                        .check_frame = async_check_context_size_and_header,
                                        .describe = async_describe_coroutine,
                                        .clones = &clones};
