/* The async ABI: the frame is the tail of a context that the caller allocates, and every suspend has a continuation
   that is a function of its own.
   Needs: a coroutine with its crossing, allocas and frame decided. Leaves: f.resume.N, or the names that Swift's
   debuggers know, and in the async function pointer the size of the frame that they use. */
#include "abi/abi.h"
#include "abi/async_parts.h"
#include "debug/debug.h"
#include "emit/part.h"
#include "ir/async_pointer.h"
#include "ir/edit.h"

/* Nothing of the frame stands in front: callers know the context's header. No field can ask for more than the
   alignment of contexts; a variable that does finds its place at run time. */
static void header(const struct coro_lowering *low, struct coro_frame_header *h)
{
  uint64_t align = async_context_align(low);
  *h = (struct coro_frame_header){.align = 1, .most_align = align, .spill_align = align};
}

/* A part that keeps nothing has no need of its address. */
static void drop_unused_frame(struct emit *e)
{
  bool made = e->frame && e->frame != emit_home(e) && LLVMIsAInstruction(e->frame);
  if (made && !LLVMGetFirstUse(e->frame))
    LLVMInstructionEraseFromParent(e->frame);
}

static uint32_t home(const struct coro_lowering *low)
{
  return (uint32_t)async_id_number(low, ASYNC_ID_ARGUMENT);
}

static bool declare_continuations(struct coro_lowering *low)
{
  low->clones = CORO_NEW_ARRAY(low->arena, LLVMValueRef, low->shape.suspend_count);
  if (!low->clones)
    return false;
  for (; low->clone_count < low->shape.suspend_count; low->clone_count++)
    if (!(low->clones[low->clone_count] = async_declare(low, low->clone_count)))
      return false;
  return true;
}

/* Coroutines may share one pointer; then it holds what the largest of them needs. */
static void publish(const struct coro_lowering *low)
{
  LLVMValueRef pointer = async_pointer(LLVMGetOperand(low->fn.insts[low->shape.id], ASYNC_ID_POINTER));
  LLVMValueRef published = async_pointer_size(pointer);
  uint64_t size = async_context_size(low);
  if (!LLVMIsAConstantInt(published) || edit_constant_or_most(published) < size)
    async_pointer_set_size(pointer, LLVMConstInt(LLVMTypeOf(published), size, false));
}

static coro_status split(struct coro_lowering *low)
{
  uint32_t *suspend_of_resume = async_suspend_of_resume(low);
  struct emit_hooks hooks = {.enter_clone = async_enter,
                             .end = drop_unused_frame,
                             .intrinsic = async_intrinsic,
                             .suspend_result = async_suspend_result,
                             .data = suspend_of_resume,
                             .debug_base = async_debug_base};
  if (!suspend_of_resume || !coro_debug_find(low) || !declare_continuations(low))
    return CORO_ENOMEM;
  for (uint32_t k = 0; k < low->clone_count; k++)
    if (!emit_clone(low, &hooks, PART_RESUME, low->clones[k], cfg_landing(&low->cfg, k)))
      return CORO_ENOMEM;
  publish(low);
  if (!emit_ramp(low, &hooks, low->fn.function))
    return CORO_ENOMEM;
  edit_remove_attribute(low->fn.function, (unsigned)LLVMAttributeFunctionIndex, "noreturn");
  return CORO_OK;
}

const struct coro_abi coro_abi_async = {.name = "async",
                                        .ids = 1u << CORO_ABI_ASYNC,
                                        .returns = true,
                                        .check = async_check,
                                        .home = home,
                                        .header = header,
                                        .check_frame = async_check_frame,
                                        .describe = async_describe,
                                        .split = split};
