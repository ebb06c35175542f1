/* Checks single accesses of the lowering to the frame. */
#include "check/frame_rules.h"

#include "check/verdict.h"
#include "ir/edit.h"

bool frame_rules_sort_fields(struct check *c)
{
  const struct coro_frame *frame = &c->low->frame;
  uint32_t *order = coro_frame_indices_by_offset(c->arena, frame);
  for (uint32_t i = 0; order && i < frame->field_count; i++) {
    const struct coro_field *field = &frame->fields[order[i]];
    bool header =
        field->kind == CORO_FIELD_RESUME || field->kind == CORO_FIELD_DESTROY || field->kind == CORO_FIELD_INDEX;
    struct check_range range = {field->offset, field->offset + field->size, header};
    if (field->size && !(field->kind == CORO_FIELD_SPILL ? coro_vec_push(c->arena, &c->spills, range)
                                                         : coro_vec_push(c->arena, &c->fields, range)))
      return false;
  }
  return order;
}

/* The first range that ends after the offset; ranges may only overlap if the layout is not supported. */
static uint32_t first_range_ending_after(const struct check_range *ranges, uint32_t count, uint64_t offset)
{
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (ranges[middle].end <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool frame_rules_check_access(struct check *c, const struct check_clone *k, uint32_t inst, uint64_t offset)
{
  LLVMValueRef access = k->fn.insts[inst];
  uint64_t size = 0, align = edit_alignment(access);
  if (!check_find_access_size(c, k, inst, &size))
    return check_unsupported(c, "a spilled value of scalable type");
  if (LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic || LLVMGetVolatile(access))
    return check_refute(c, k, access, "a volatile or atomic access that no presplit instruction has");
  if (offset > c->low->frame.size || size > c->low->frame.size - offset)
    return check_refute(c, k, access, "it is outside of the frame");
  return (align <= c->low->frame.align && offset % align == 0) ||
         check_refute(c, k, access, "its address is not aligned to %llu bytes", (unsigned long long)align);
}

/* Whether the bytes are those of a spill's field, which may share them with others: check_alloca_contents judges the
   layout. */
static bool starts_at_spill_field_and_fits(const struct check *c, uint64_t offset, uint64_t size)
{
  for (uint32_t at = first_range_ending_after(c->spills.items, c->spills.count, offset); at < c->spills.count; at++) {
    const struct check_range *spill = &c->spills.items[at];
    if (spill->offset > offset)
      break;
    if (spill->offset == offset && size <= spill->end - offset)
      return true;
  }
  return false;
}

bool frame_rules_check_store(struct check *c, const struct check_clone *k, uint32_t inst, uint64_t offset)
{
  uint64_t size = 0;
  uint32_t at = first_range_ending_after(c->fields.items, c->fields.count, offset);
  if (!check_find_access_size(c, k, inst, &size))
    return check_unsupported(c, "a spilled value of scalable type");
  if (at == c->fields.count || c->fields.items[at].offset >= offset + size ||
      starts_at_spill_field_and_fits(c, offset, size))
    return true;
  const struct check_range *field = &c->fields.items[at];
  return (field->header && field->offset == offset && field->end == offset + size) ||
         check_refute(c, k, k->fn.insts[inst], "it overwrites memory of an alloca, or a part of the header");
}
