/* Finds fields that share bytes by a sweep over offsets, and checks the layout. */
#include "check/frame_overlap.h"

#include <string.h>

#include "check/memory_uses.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"

/* Whether the field is accessed by other code, or by the lowering at any time. */
static bool must_not_share_bytes(const struct check *c, uint32_t field)
{
  enum coro_field_kind kind = (enum coro_field_kind)c->low->frame.fields[field].kind;
  return (kind != CORO_FIELD_ALLOCA && kind != CORO_FIELD_SPILL) || field == c->low->frame.heap_field;
}

bool frame_overlap_check_alignment_and_bounds(struct check *c)
{
  const struct coro_frame *frame = &c->low->frame;
  bool rounded = coro_shape_has_intrinsic(&c->low->shape, &c->low->fn, INTRIN_ALIGN);
  if (rounded && frame->align && frame->size % frame->align)
    return check_refute(c, c->clones[0], NULL, "the frame's size is no multiple of its alignment");
  for (uint32_t f = 0; f < frame->field_count; f++) {
    const struct coro_field *field = &frame->fields[f];
    if (must_not_share_bytes(c, f) && frame_overlap_is_shared(c, f, false))
      return check_refute(c, c->clones[0], NULL,
                          "the frame's field at byte %llu shares bytes, but the header and the promise must not",
                          (unsigned long long)field->offset);
    if (field->offset % field->align || field->align > frame->align || field->offset + field->size > frame->size)
      return check_refute(c, c->clones[0], NULL,
                          "the frame's field at byte %llu is misaligned, or outside of the frame",
                          (unsigned long long)field->offset);
  }
  return true;
}

/* ---- Places of allocas ---- */

bool frame_overlap_is_frame_address(const struct check_clone *k, LLVMValueRef address, uint64_t *offset,
                                    uint64_t *align)
{
  *align = 1;
  if (check_is_frame_address(k, address, offset))
    return true;
  uint32_t inst = ir_inst(&k->fn, address);
  while (inst != IR_NONE && k->fn.opcode[inst] == LLVMAddrSpaceCast && k->entries[inst].kind == WITNESS_NONE) {
    address = LLVMGetOperand(address, ADDRESS_BASE);
    inst = ir_inst(&k->fn, address);
  }
  if (inst == IR_NONE || k->entries[inst].kind != WITNESS_NONE || !frame_overlap_is_constant_ptrmask(address))
    return false;
  *align = 0 - (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(address, ADDRESS_MASK));
  return check_is_frame_address(k, LLVMGetOperand(address, MASKED_ADDRESS), offset);
}

bool frame_overlap_is_constant_ptrmask(LLVMValueRef call)
{
  static const char name[] = "llvm.ptrmask.";
  LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
  return callee && LLVMIsAFunction(callee) &&
         !strncmp(LLVMGetValueName2(callee, &(size_t){0}), name, sizeof name - 1) &&
         LLVMIsAConstantInt(LLVMGetOperand(call, ADDRESS_MASK));
}

static uint64_t realignment_slack_of_field(const struct coro_field *field)
{
  return field->realign ? field->realign - field->align : 0;
}

bool frame_overlap_is_start_of_alloca_field(const struct coro_field *field, uint64_t offset, uint64_t align)
{
  return offset == field->offset + realignment_slack_of_field(field) && align == (field->realign ? field->realign : 1);
}

bool frame_overlap_is_address_of_fitting_field(const struct check *c, uint32_t value, const struct coro_field *field,
                                               uint64_t offset, uint64_t align)
{
  LLVMValueRef memory = ir_value(&c->low->fn, value);
  uint64_t aligned = field->realign ? field->realign : field->align, size;
  (void)find_size_of_memory(c, value, &size);
  return field->kind != CORO_FIELD_SPILL && frame_overlap_is_start_of_alloca_field(field, offset, align) &&
         size + realignment_slack_of_field(field) <= field->size &&
         (!LLVMIsAAllocaInst(memory) || edit_alignment(memory) <= aligned);
}

/* ---- Shared bytes ---- */

enum { SHARED = 1, SHARED_WITH_SPILL = 2 };

static bool is_spill(const struct coro_field *field)
{
  return field->kind == CORO_FIELD_SPILL;
}

/* Marks all fields that share bytes with another. Fields are visited by offset, so that only the earlier field and the
   earlier spill with the largest end matter for the next one. */
static void mark_shared_fields(unsigned char *shared, const struct coro_frame *frame, const uint32_t *order)
{
  uint32_t furthest = IR_NONE, furthest_spill = IR_NONE;
  for (uint32_t i = 0; i < frame->field_count; i++) {
    const struct coro_field *field = &frame->fields[order[i]];
    uint32_t earlier[2] = {furthest, furthest_spill};
    for (unsigned e = 0; e < 2 && field->size; e++) {
      const struct coro_field *other = earlier[e] == IR_NONE ? NULL : &frame->fields[earlier[e]];
      if (!other || other->offset + other->size <= field->offset)
        continue;
      shared[order[i]] |= is_spill(other) ? SHARED | SHARED_WITH_SPILL : SHARED;
      shared[earlier[e]] |= is_spill(field) ? SHARED | SHARED_WITH_SPILL : SHARED;
    }
    uint64_t end = field->offset + field->size;
    if (furthest == IR_NONE || end > frame->fields[furthest].offset + frame->fields[furthest].size)
      furthest = order[i];
    if (is_spill(field) &&
        (furthest_spill == IR_NONE || end > frame->fields[furthest_spill].offset + frame->fields[furthest_spill].size))
      furthest_spill = order[i];
  }
}

/* An alloca that is not the furthest may intersect a later spill: both directions are visited. */
static void mark_shared_allocas(unsigned char *shared, const struct coro_frame *frame, const uint32_t *order)
{
  for (uint32_t i = frame->field_count; i-- > 0;) {
    const struct coro_field *field = &frame->fields[order[i]];
    if (is_spill(field) || !field->size)
      continue;
    for (uint32_t n = i + 1; n < frame->field_count && frame->fields[order[n]].offset < field->offset + field->size;
         n++) {
      if (!frame->fields[order[n]].size)
        continue;
      shared[order[i]] |= is_spill(&frame->fields[order[n]]) ? SHARED | SHARED_WITH_SPILL : SHARED;
      shared[order[n]] |= SHARED;
      if (shared[order[i]] & SHARED_WITH_SPILL)
        break;
    }
  }
}

bool frame_overlap_is_shared(struct check *c, uint32_t field, bool spill)
{
  const struct coro_frame *frame = &c->low->frame;
  if (!c->shared) {
    uint32_t *order = coro_frame_indices_by_offset(c->arena, frame);
    unsigned char *shared = CORO_NEW_ARRAY(c->arena, unsigned char, frame->field_count + 1);
    if (!order || !shared)
      return false;
    mark_shared_fields(shared, frame, order);
    mark_shared_allocas(shared, frame, order);
    c->shared = shared;
  }
  return c->shared[field] & (spill ? SHARED_WITH_SPILL : SHARED);
}
