/* The async ABI: the frame is the tail of a context that the caller allocates, and every suspend has a continuation
   that is a function of its own.
   Needs: a coroutine with its crossing, allocas and frame decided. Leaves: f.resume.N, or the names that Swift's
   debuggers know, and in the async function pointer the size of the frame that they use. */
#include "abi/abi.h"
#include "abi/async_parts.h"
#include "abi/places.h"
#include "abi/split.h"
#include "abi/template.h"
#include "ir/async_pointer.h"
#include "ir/edit.h"

/* Nothing of the frame stands in front: callers know the context's header. No field can ask for more than the
   alignment of contexts; a variable that does finds its place at run time. */
static void header(const struct coro_lowering *low, struct coro_frame_header *h)
{
  uint64_t align = async_context_align(low);
  *h = (struct coro_frame_header){.align = 1, .most_align = align, .spill_align = align};
  template_add_header(low, h);
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

/* Coroutines may share one pointer; then it holds what the largest of them needs. */
static void publish(const struct coro_lowering *low)
{
  LLVMValueRef pointer = async_pointer(LLVMGetOperand(low->fn.insts[low->shape.id], ASYNC_ID_POINTER));
  LLVMValueRef published = async_pointer_size(pointer);
  uint64_t size = async_context_size(low);
  if (!LLVMIsAConstantInt(published) || edit_constant_or_most(published) < size)
    async_pointer_set_size(pointer, LLVMConstInt(LLVMTypeOf(published), size, false));
}

static bool begin(struct coro_lowering *low, struct emit_hooks *hooks)
{
  publish(low);
  return (hooks->data = async_suspend_of_resume(low));
}

static void forget_noreturn(LLVMValueRef ramp)
{
  edit_remove_attribute(ramp, (unsigned)LLVMAttributeFunctionIndex, "noreturn");
}

static coro_status split(struct coro_lowering *low)
{
  static const struct abi_parts parts = {.hooks = {.enter_clone = async_enter,
                                                   .enter_ramp = places_enter,
                                                   .end = drop_unused_frame,
                                                   .intrinsic = async_intrinsic,
                                                   .suspend_result = async_suspend_result,
                                                   .begun = places_begun,
                                                   .landed = places_landed,
                                                   .debug_base = async_debug_base},
                                         .declare = async_declare,
                                         .begin = begin,
                                         .end = forget_noreturn};
  return abi_split(low, &parts);
}

const struct coro_abi coro_abi_async = {.name = "async",
                                        .ids = 1u << CORO_ABI_ASYNC,
                                        .returns = true,
                                        .check = async_check,
                                        .ends_clone = async_ends_clone,
                                        .home = home,
                                        .header = header,
                                        .check_frame = async_check_frame,
                                        .describe = async_describe,
                                        .split = split};
