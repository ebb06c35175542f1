/* Defines the header of a switched-resume frame, and encodes the final suspend without an index: a null resume slot.
   Requires: number, shape, cfg, frame_allocas.
   Guarantees: the function is unchanged. */
#include "abi/hook_module.h"
#include "abi/switch_internal.h"
#include "base/align.h"
#include "ir/edit.h"
#include "lowering/abi.h"

bool switch_uses_coro_alloc(const struct coro_lowering *low)
{
  return coro_shape_has_intrinsic(&low->shape, &low->fn, INTRIN_ALLOC);
}

/* Whether the final suspend stores an index. A null resume slot identifies it, unless a coroutine ended by an
   exception looks the same; then both store an index. */
bool switch_final_suspend_stores_index(const struct coro_lowering *low)
{
  return coro_has_final_suspend(&low->shape) && low->shape.has_unwind_end;
}

/* The number of suspends after an unwind end. */
static uint32_t count_unwound_suspends(const struct coro_lowering *low)
{
  return low->shape.suspend_count - low->shape.resumed_count - coro_has_final_suspend(&low->shape);
}

/* Whether landings after an exception have an index. A null resume slot suffices if all coroutines that are done are
   destroyed at a single landing. */
bool switch_exception_landings_have_index(const struct coro_lowering *low)
{
  return count_unwound_suspends(low) &&
         (low->shape.suspend_count - low->shape.resumed_count > 1 || low->shape.resumes_after_unwind_end);
}

static uint32_t count_suspends_that_store_index(const struct coro_lowering *low)
{
  return low->shape.suspend_count - (coro_has_final_suspend(&low->shape) && !switch_final_suspend_stores_index(low)) -
         (switch_exception_landings_have_index(low) ? 0 : count_unwound_suspends(low));
}

static LLVMTypeRef suspend_index_type_or_null(const struct coro_lowering *low)
{
  if (hook_module_defines_hook(low->abi->hook_module, HOOK_dispatch))
    return NULL; /* the promise has a fixed offset */
  uint32_t count = count_suspends_that_store_index(low);
  if (count <= 1)
    return NULL;
  return LLVMIntTypeInContext(low->context, count <= 256 ? 8 : count <= 65536 ? 16 : 32);
}

/* Guaranteed alignment of the allocation: from the id, from coro.align if the coroutine uses it, or else that of
   malloc. */
static uint64_t guaranteed_allocation_alignment(const struct coro_lowering *low)
{
  uint64_t requested = LLVMConstIntGetZExtValue(LLVMGetOperand(low->fn.insts[low->shape.id], ID_ALIGN));
  if (coro_shape_has_intrinsic(&low->shape, &low->fn, INTRIN_ALIGN))
    return EDIT_MAX_ALIGN; /* more aligned allocas are aligned within the frame */
  uint64_t malloc_align = ir_malloc_align(low->context, low->layout);
  return requested > malloc_align ? requested : malloc_align;
}

/* The pointer alignment, to which coro.size is rounded up if malloc allocates the frame. 0 for aligned allocation
   functions: they require a multiple of the frame's alignment. */
static uint64_t size_multiple_for_malloc_or_0(const struct coro_lowering *low)
{
  bool uses_aligned_allocation = coro_shape_has_intrinsic(&low->shape, &low->fn, INTRIN_ALIGN) ||
                                 hook_module_defines_hook(low->abi->hook_module, HOOK_alloc);
  return uses_aligned_allocation ? 0 : ir_pointer_align(low->context, low->layout);
}

void switch_fill_header_layout(const struct coro_lowering *low, struct coro_frame_header *h)
{
  uint64_t pointer = ir_pointer_size(low->context, low->layout), end = 2 * pointer;
  uint64_t align = ir_pointer_align(low->context, low->layout);
  LLVMTypeRef type = LLVMPointerTypeInContext(low->context, 0);
  *h = (struct coro_frame_header){.align = align,
                                  .allocator_align = guaranteed_allocation_alignment(low),
                                  .max_spill_align = ir_malloc_align(low->context, low->layout),
                                  .size_multiple = size_multiple_for_malloc_or_0(low),
                                  .index_type = suspend_index_type_or_null(low),
                                  .padding_is_usable = true};
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
  hook_module_append_header_field(low, h);
}

/* Rejects an over-aligned frame unless the allocation code uses coro.align, or the ABI allocates the frame. */
coro_status switch_check_frame_alignment(const struct coro_lowering *low)
{
  bool has_alloc_hook = hook_module_defines_hook(low->abi->hook_module, HOOK_alloc) && switch_uses_coro_alloc(low);
  return has_alloc_hook ? CORO_OK : hook_module_check_header_alignment(low, guaranteed_allocation_alignment(low));
}
