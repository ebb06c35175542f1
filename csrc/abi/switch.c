/* The switched-resume ABI: one resume and one destroy function, which dispatch on a suspend index in the frame.
   Requires: crossing, allocas and frame of a coroutine.
   Guarantees: f.resume, f.destroy, f.cleanup after the ramp. The ramp's coro.id, coro.alloc, coro.begin and coro.free
   remain for coro-elide and coro-cleanup. */
#include "abi/abi.h"
#include "abi/hook_call.h"
#include "abi/split.h"
#include "abi/switch_internal.h"
#include "emit/clone.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "lowering/abi.h"

/* The array of clones that coro.id refers to after splitting. Elision finds the clones of an inlined ramp by it. */
static LLVMValueRef make_clone_array(const struct coro_lowering *low, LLVMValueRef noalloc)
{
  LLVMTypeRef pointer = LLVMTypeOf(low->clones[0]); /* functions may have an address space of their own */
  LLVMValueRef clones[4] = {low->clones[0], low->clones[1], low->clones[2], noalloc};
  unsigned count = noalloc ? 4 : 3;
  char *name = coro_arena_printf(low->arena, "%s.resumers", edit_value_name(low->fn.function));
  LLVMValueRef array = LLVMAddGlobal(low->module, LLVMArrayType2(pointer, count), name ? name : "");
  LLVMSetInitializer(array, LLVMConstArray2(pointer, clones, count));
  LLVMSetLinkage(array, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(array, true);
  return edit_cast_to_default_pointer(array);
}

static bool start_clone_with_frame_and_dispatch(struct emit *e)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(e->low->fn.insts[e->low->shape.begin], &length);
  e->frame = LLVMGetParam(e->function, 0);
  LLVMSetValueName2(e->frame, name, length);
  switch_create_hook_allocas(e);
  if (e->landing == IR_NONE)
    switch_emit_dispatch(e);
  return true;
}

/* A coroutine that never suspends gets its frame in an alloca, unless it requires its own memory. */
static void create_entry_allocas_of_ramp(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  struct switch_data *data = e->hooks->data;
  LLVMValueRef memory = LLVMGetOperand(low->fn.insts[low->shape.begin], BEGIN_MEMORY);
  switch_create_hook_allocas(e);
  if (low->shape.suspend_count || (!switch_uses_coro_alloc(low) && !LLVMIsAConstantPointerNull(memory)))
    return;
  LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(low->context), low->frame.size);
  LLVMPositionBuilderAtEnd(e->builder, e->entry);
  e->last_alloca = LLVMBuildAlloca(e->builder, bytes, "frame");
  edit_set_alignment(e->last_alloca, low->frame.align);
  /* no-op if the address spaces are equal */
  data->on_stack = LLVMBuildAddrSpaceCast(e->builder, e->last_alloca, LLVMTypeOf(memory), "frame");
}

static void erase_unused_frame_alloca(struct emit *e)
{
  const struct switch_data *data = e->hooks->data;
  LLVMValueRef next = data->on_stack;
  while (next && LLVMIsAInstruction(next) && !LLVMGetFirstUse(next)) {
    LLVMValueRef unused = next;
    next = LLVMIsAAllocaInst(unused) ? NULL : LLVMGetOperand(unused, ADDRESS_BASE);
    e->frame = e->frame == unused ? NULL : e->frame;
    LLVMInstructionEraseFromParent(unused);
  }
}

/* The number of clones that a custom ABI adds. A coroutine that is done is not resumed. */
static uint32_t count_custom_clones(const struct coro_lowering *low)
{
  if (!switch_has_custom_clones(low))
    return 0;
  return low->abi->clone_per_suspend ? low->shape.resumed_count : 1;
}

static uint32_t count_clones_besides_ramp(const struct coro_lowering *low)
{
  return low->shape.suspend_count ? HOOK_OF_SLOTS + count_custom_clones(low) : 0;
}

static LLVMValueRef declare_slot_or_custom_clone(const struct coro_lowering *low, uint32_t clone)
{
  static const char *const suffixes[HOOK_OF_SLOTS] = {"resume", "destroy", "cleanup"};
  if (clone < HOOK_OF_SLOTS)
    return switch_declare_fastcc_clone(low, suffixes[clone]);
  return switch_declare_custom_clone(low, low->abi->clone_per_suspend ? clone - HOOK_OF_SLOTS : IR_NONE);
}

static unsigned clone_kind_or_0_for_slot_adapter(const struct coro_lowering *low, uint32_t clone, uint32_t *landing)
{
  static const unsigned kinds[HOOK_OF_SLOTS] = {CLONE_RESUME, CLONE_DESTROY, CLONE_CLEANUP};
  if (clone == 0 && count_custom_clones(low))
    return 0;
  if (clone >= HOOK_OF_SLOTS && low->abi->clone_per_suspend)
    *landing = cfg_landing(&low->cfg, clone - HOOK_OF_SLOTS);
  return clone < HOOK_OF_SLOTS ? kinds[clone] : CLONE_RESUME;
}

static bool init_switch_data_and_clone_array(struct coro_lowering *low, struct emit_hooks *hooks)
{
  struct switch_data *data = hooks->data = CORO_NEW(low->arena, struct switch_data);
  if (!data)
    return false;
  data->elidable = switch_uses_coro_alloc(low);
  data->awaited = switch_last_saved_suspend_of_each_inst(low);
  data->when_complete = edit_has_function_attribute(low->fn.function, "coro_only_destroy_when_complete");
  if (!low->clone_count)
    return true;
  data->noalloc = switch_needs_noalloc(low) ? switch_declare_noalloc(low) : NULL;
  data->resumers = make_clone_array(low, data->noalloc);
  return !coro_arena_failed(low->arena);
}

/* Creates f.noalloc, a copy of the ramp whose last parameter is the address of the caller's memory for the frame. */
static bool create_noalloc_variant_if_declared(struct coro_lowering *low, const struct emit_hooks *hooks)
{
  struct switch_data data = *(const struct switch_data *)hooks->data;
  struct emit_hooks hooks_of_noalloc = *hooks;
  if (!data.noalloc)
    return true;
  hooks_of_noalloc.data = &data;
  data.caller = LLVMGetLastParam(data.noalloc);
  return emit_ramp(low, &hooks_of_noalloc, data.noalloc);
}

static const struct abi_clones clones = {.hooks = {.enter_clone = start_clone_with_frame_and_dispatch,
                                                   .enter_ramp = create_entry_allocas_of_ramp,
                                                   .end = erase_unused_frame_alloca,
                                                   .intrinsic = switch_lower_intrinsic,
                                                   .call = switch_lower_if_parameter_query,
                                                   .suspend_result = switch_emit_suspend_result,
                                                   .frame_ready = switch_store_resume_and_destroy_slots,
                                                   .build_return = switch_build_return},
                                         .count = count_clones_besides_ramp,
                                         .declare = declare_slot_or_custom_clone,
                                         .clone_kind = clone_kind_or_0_for_slot_adapter,
                                         .fill = switch_build_resume_slot_adapter_body,
                                         .begin = init_switch_data_and_clone_array,
                                         .before_ramp = create_noalloc_variant_if_declared};

const struct coro_abi coro_abi_switch = {.name = "switch",
                                         .ids = 1u << CORO_ABI_SWITCH,
                                         .check = switch_check,
                                         .ends_clone = switch_musttail_can_end_clone,
                                         .header = switch_fill_header_layout,
                                         .check_frame = switch_check_frame_alignment,
                                         .clones = &clones};
