/* The async ABI: the frame is the tail of a context that the caller allocates, and every suspend has a continuation
   that is a function of its own.
   Needs: a coroutine with its crossing, allocas and frame decided. Leaves: f.resume.N, or the names that Swift's
   debuggers know, and in the async function pointer the size of the frame that they use. */
#include "abi/abi.h"
#include "abi/async_parts.h"
#include "coro/debug.h"
#include "coro/emit_debug.h"
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
static void drop_unused_frame(const struct emit *e)
{
  bool made = e->frame && e->frame != emit_home(e) && LLVMGetValueKind(e->frame) == LLVMInstructionValueKind;
  if (made && !LLVMGetFirstUse(e->frame))
    LLVMInstructionEraseFromParent(e->frame);
}

static uint32_t home(const struct coro_lowering *low)
{
  return (uint32_t)async_id_number(low, ASYNC_ID_ARGUMENT);
}

static bool make_continuation(struct coro_lowering *low, const struct emit_hooks *hooks, uint32_t suspend)
{
  struct emit e;
  struct async_data *data = hooks->data;
  uint32_t landing = cfg_landing(&low->cfg, suspend);
  char *name = coro_arena_printf(low->arena, "entry.resume.%u", (unsigned)suspend);
  data->suspend = suspend;
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(low->context, low->clones[suspend], name ? name : "");
  bool ok = emit_start(&e, low, hooks, PART_RESUME, low->clones[suspend], landing);
  if (ok) {
    e.entry = entry;
    LLVMPositionBuilderAtEnd(e.builder, entry);
    ok = async_project(&e);
  }
  if (ok) {
    e.head = LLVMBuildBr(e.builder, e.blocks[landing]);
    emit_debug_frame(&e);
    ok = emit_nodes(&e);
  }
  if (ok)
    drop_unused_frame(&e);
  emit_finish(&e);
  return ok;
}

static bool make_continuations(struct coro_lowering *low, const struct emit_hooks *hooks)
{
  low->clones = CORO_NEW_ARRAY(low->arena, LLVMValueRef, low->shape.suspend_count);
  if (!low->clones)
    return false;
  for (; low->clone_count < low->shape.suspend_count; low->clone_count++)
    if (!(low->clones[low->clone_count] = async_declare(low, low->clone_count)))
      return false;
  for (uint32_t k = 0; k < low->shape.suspend_count; k++)
    if (!make_continuation(low, hooks, k))
      return false;
  return true;
}

static bool make_ramp(struct coro_lowering *low, const struct emit_hooks *hooks)
{
  struct emit e;
  struct async_data *data = hooks->data;
  data->suspend = IR_NONE;
  bool ok = emit_start(&e, low, hooks, PART_RAMP, low->fn.function, IR_NONE);
  if (ok) {
    e.entry = e.blocks[0];
    ok = emit_nodes(&e);
  }
  if (ok) {
    emit_replace_source(&e);
    drop_unused_frame(&e);
    edit_remove_attribute(low->fn.function, (unsigned)LLVMAttributeFunctionIndex, "noreturn");
  }
  emit_finish(&e);
  return ok;
}

/* Coroutines may share one pointer; then it holds what the largest of them needs. */
static void publish(const struct coro_lowering *low)
{
  LLVMValueRef pointer = async_pointer(LLVMGetOperand(low->fn.insts[low->shape.id], ASYNC_ID_POINTER));
  LLVMValueRef published = async_pointer_size(pointer);
  uint64_t size = async_context_size(low), initial = 0;
  if (!edit_constant(published, &initial) || initial < size)
    async_pointer_set_size(pointer, LLVMConstInt(LLVMTypeOf(published), size, false));
}

static coro_status split(struct coro_lowering *low)
{
  struct async_data data = {.suspend_of_resume = async_suspend_of_resume(low)};
  struct emit_hooks hooks = {.intrinsic = async_intrinsic,
                             .suspend_result = async_suspend_result,
                             .data = &data,
                             .debug_base = async_debug_base};
  if (!data.suspend_of_resume || !coro_debug_find(low) || !make_continuations(low, &hooks))
    return CORO_ENOMEM;
  publish(low);
  return make_ramp(low, &hooks) ? CORO_OK : CORO_ENOMEM;
}

const struct coro_abi coro_abi_async = {.name = "async",
                                        .ids = 1u << CORO_ABI_ASYNC,
                                        .returns = true,
                                        .check = async_check,
                                        .home = home,
                                        .header = header,
                                        .describe = async_describe,
                                        .split = split};
