/* The switched-resume ABI: one resume and one destroy function, which dispatch on a number kept in the frame.
   Needs: a coroutine with its crossing, allocas and frame decided. Leaves: f.resume, f.destroy, f.cleanup behind the
   ramp, whose coro.id, coro.alloc, coro.begin and coro.free stay for elision and cleanup. */
#include "abi/abi.h"
#include "abi/switch_parts.h"
#include "base/align.h"
#include "debug/debug.h"
#include "emit/part.h"
#include "ir/edit.h"

bool switch_has_final(const struct coro_lowering *low)
{
  return low->shape.suspend_count && low->shape.suspends[low->shape.suspend_count - 1].final;
}

bool switch_has_alloc(const struct coro_lowering *low)
{
  return coro_shape_has(&low->shape, &low->fn, INTRIN_ALLOC);
}

/* At the final suspend the null in the resume slot tells enough, unless a coroutine that an exception ended looks
   the same; then both keep their number. */
bool switch_numbers_final(const struct coro_lowering *low)
{
  return switch_has_final(low) && low->unwound.any;
}

/* The null in the resume slot tells enough if there is one place where a coroutine that is done is destroyed. */
bool switch_numbers_unwound(const struct coro_lowering *low)
{
  return low->cfg.extra.landing_count > (switch_has_final(low) ? 0 : 1);
}

static uint32_t numbered(const struct coro_lowering *low)
{
  return low->shape.suspend_count - (switch_has_final(low) && !switch_numbers_final(low)) +
         (switch_numbers_unwound(low) ? low->cfg.extra.landing_count : 0);
}

static LLVMTypeRef index_type(const struct coro_lowering *low)
{
  uint32_t count = numbered(low);
  if (count <= 1)
    return NULL;
  return LLVMIntTypeInContext(low->context, count <= 256 ? 8 : count <= 65536 ? 16 : 32);
}

/* What the allocator gives: the id says so, or the coroutine asks it for coro.align, or it is that of malloc. */
static uint64_t promised_align(const struct coro_lowering *low)
{
  uint64_t given = LLVMConstIntGetZExtValue(LLVMGetOperand(low->fn.insts[low->shape.id], ID_ALIGN));
  if (coro_shape_has(&low->shape, &low->fn, INTRIN_ALIGN))
    return EDIT_MOST_ALIGN; /* what is aligned further finds its place in the frame itself */
  uint64_t usual = ir_malloc_align(low->context, low->layout);
  return given > usual ? given : usual;
}

static void header(const struct coro_lowering *low, struct coro_frame_header *h)
{
  uint64_t pointer = ir_pointer_size(low->context, low->layout), end = 2 * pointer;
  uint64_t align = ir_pointer_align(low->context, low->layout);
  LLVMTypeRef type = LLVMPointerTypeInContext(low->context, 0);
  *h = (struct coro_frame_header){.align = align,
                                  .most_align = promised_align(low),
                                  .spill_align = ir_malloc_align(low->context, low->layout),
                                  .index_type = index_type(low)};
  for (unsigned i = 0; i < 2; i++)
    h->fields[h->count++] = (struct coro_field){.kind = i ? CORO_FIELD_DESTROY : CORO_FIELD_RESUME,
                                                .value = IR_NONE,
                                                .type = type,
                                                .size = pointer,
                                                .align = align,
                                                .offset = i * pointer};
  for (uint32_t a = 0; a < low->allocas.count; a++) {
    const struct coro_alloca *item = &low->allocas.items[a];
    if (!item->promise)
      continue;
    uint64_t offset = coro_align_to(end, item->align);
    h->fields[h->count++] = (struct coro_field){
        .kind = CORO_FIELD_PROMISE, .value = item->value, .size = item->size, .align = item->align, .offset = offset};
    end = offset + item->size;
    if (item->align > h->align)
      h->align = item->align;
  }
  h->end = end;
}

/* The array that coro.id names from now on: how elision finds the parts of a coroutine that was inlined. */
static LLVMValueRef make_resumers(const struct coro_lowering *low, LLVMValueRef noalloc)
{
  LLVMTypeRef pointer = LLVMTypeOf(low->clones[0]); /* code may be an address space of its own */
  LLVMValueRef parts[4] = {low->clones[0], low->clones[1], low->clones[2], noalloc};
  unsigned count = noalloc ? 4 : 3;
  char *name = coro_arena_printf(low->arena, "%s.resumers", LLVMGetValueName2(low->fn.function, &(size_t){0}));
  LLVMValueRef array = LLVMAddGlobal(low->module, LLVMArrayType2(pointer, count), name ? name : "");
  LLVMSetInitializer(array, LLVMConstArray2(pointer, parts, count));
  LLVMSetLinkage(array, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(array, true);
  return edit_plain_pointer(array);
}

static bool enter_clone(struct emit *e)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(e->low->fn.insts[e->low->shape.begin], &length);
  e->frame = LLVMGetParam(e->function, 0);
  LLVMSetValueName2(e->frame, name, length);
  switch_dispatch(e);
  return true;
}

/* A coroutine that never suspends needs no allocation: its frame is a variable, unless it insists on its own memory. */
static void put_frame_on_stack(struct emit *e)
{
  const struct coro_lowering *low = e->low;
  struct switch_data *data = e->hooks->data;
  LLVMValueRef memory = LLVMGetOperand(low->fn.insts[low->shape.begin], BEGIN_MEMORY);
  if (low->shape.suspend_count || (!switch_has_alloc(low) && !LLVMIsAConstantPointerNull(memory)))
    return;
  LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(low->context), low->frame.size);
  LLVMPositionBuilderAtEnd(e->builder, e->entry);
  e->last_alloca = LLVMBuildAlloca(e->builder, bytes, "frame");
  edit_set_alignment(e->last_alloca, low->frame.align);
  data->on_stack = LLVMBuildAddrSpaceCast(e->builder, e->last_alloca, LLVMTypeOf(memory), "frame"); /* if need be */
}

static void drop_unused_frame(struct emit *e)
{
  const struct switch_data *data = e->hooks->data;
  LLVMValueRef next = data->on_stack;
  while (next && LLVMIsAInstruction(next) && !LLVMGetFirstUse(next)) {
    LLVMValueRef unused = next;
    next = LLVMIsAAllocaInst(unused) ? NULL : LLVMGetOperand(unused, 0);
    LLVMInstructionEraseFromParent(unused);
  }
}

/* The ramp for callers that have room for the frame themselves, with its address as the last parameter. */
static bool make_noalloc(struct coro_lowering *low, const struct emit_hooks *hooks, LLVMValueRef noalloc)
{
  struct switch_data data = *(const struct switch_data *)hooks->data;
  struct emit_hooks own = *hooks;
  own.data = &data;
  data.caller = LLVMGetLastParam(noalloc);
  return emit_ramp(low, &own, noalloc);
}

static coro_status split(struct coro_lowering *low)
{
  struct switch_data data = {0};
  struct emit_hooks hooks = {.enter_clone = enter_clone,
                             .enter_ramp = put_frame_on_stack,
                             .end = drop_unused_frame,
                             .intrinsic = switch_intrinsic,
                             .suspend_result = switch_suspend_result,
                             .frame_ready = switch_frame_ready,
                             .data = &data};
  static const unsigned parts[3] = {PART_RESUME, PART_DESTROY, PART_CLEANUP};
  static const char *const suffixes[3] = {"resume", "destroy", "cleanup"};
  if (!coro_debug_find(low))
    return CORO_ENOMEM;
  data.elidable = switch_has_alloc(low);
  data.when_complete =
      edit_has_attribute(low->fn.function, (unsigned)LLVMAttributeFunctionIndex, "coro_only_destroy_when_complete");
  if (low->shape.suspend_count) {
    low->clones = CORO_NEW_ARRAY(low->arena, LLVMValueRef, 3);
    if (!low->clones)
      return CORO_ENOMEM;
    for (; low->clone_count < 3; low->clone_count++)
      low->clones[low->clone_count] = switch_declare_clone(low, suffixes[low->clone_count]);
    LLVMValueRef noalloc = switch_wants_noalloc(low) ? switch_declare_noalloc(low) : NULL;
    data.resumers = make_resumers(low, noalloc);
    for (int i = 0; i < 3; i++)
      if (!emit_clone(low, &hooks, parts[i], low->clones[i], IR_NONE))
        return CORO_ENOMEM;
    if (noalloc && !make_noalloc(low, &hooks, noalloc))
      return CORO_ENOMEM;
  }
  return emit_ramp(low, &hooks, low->fn.function) ? CORO_OK : CORO_ENOMEM;
}

const struct coro_abi coro_abi_switch = {
    .name = "switch", .ids = 1u << CORO_ABI_SWITCH, .check = switch_check, .header = header, .split = split};
