/* The switched-resume ABI: the header of its frame, and what stands in for a number of a suspend there.
   Needs: number, shape, cfg, allocas. Leaves: the function as it was. */
#include "abi/switch_parts.h"
#include "abi/template.h"
#include "base/align.h"
#include "coro/abi.h"
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
  if (template_has(low->abi->template, HOOK_dispatch))
    return NULL; /* it knows where that is */
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

/* A frame that malloc aligns is not asked for as one that has to be aligned; that takes a multiple of the alignment. */
static uint64_t size_align(const struct coro_lowering *low)
{
  bool asked = coro_shape_has(&low->shape, &low->fn, INTRIN_ALIGN) || template_has(low->abi->template, HOOK_alloc);
  return asked ? 0 : ir_pointer_align(low->context, low->layout);
}

void switch_header(const struct coro_lowering *low, struct coro_frame_header *h)
{
  uint64_t pointer = ir_pointer_size(low->context, low->layout), end = 2 * pointer;
  uint64_t align = ir_pointer_align(low->context, low->layout);
  LLVMTypeRef type = LLVMPointerTypeInContext(low->context, 0);
  *h = (struct coro_frame_header){.align = align,
                                  .most_align = promised_align(low),
                                  .spill_align = ir_malloc_align(low->context, low->layout),
                                  .size_align = size_align(low),
                                  .index_type = index_type(low),
                                  .open = true};
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
  template_add_header(low, h);
}

/* Who allocates knows how a frame is aligned if it is asked for that, or is the ABI itself. */
coro_status switch_check_frame(const struct coro_lowering *low)
{
  bool own = template_has(low->abi->template, HOOK_alloc) && switch_has_alloc(low);
  return own ? CORO_OK : template_check_header(low, promised_align(low));
}
