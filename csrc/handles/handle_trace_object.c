/* Handle trace: objects. Each access is applied to each slot that it overlaps, whichever is found first. */
#include "handles/handle_trace_internal.h"
#include "ir/edit.h"
#include "ir/offset.h"
#include "ir/operand.h"

static uint64_t size_of_slot(const struct trace *t)
{
  return ir_pointer_size(t->run->context, t->run->layout);
}

static bool add_cell_assignment(struct trace *t, LLVMValueRef at, uint16_t cell, uint16_t from, LLVMValueRef value,
                                bool weak)
{
  return trace_add_event(t, (struct trace_event){.at = at,
                                                 .kind = TRACE_SET,
                                                 .cell = cell,
                                                 .from = from,
                                                 .value = value,
                                                 .constant = weak ? HOLDS_MAYBE : HOLDS_OTHER,
                                                 .weak = weak});
}

static uint16_t find_slot_at_offset(const struct trace *t, uint32_t object, int64_t offset)
{
  for (uint16_t i = 0; i < t->cells.count; i++)
    if (!t->cells.items[i].value && t->cells.items[i].object == object && t->cells.items[i].offset == offset)
      return i;
  return TRACE_NO_CELL;
}

static bool access_is_exactly_slot(const struct trace *t, const struct trace_access *access, uint16_t slot)
{
  return access->offset == t->cells.items[slot].offset && access->size == size_of_slot(t);
}

static bool access_overlaps_slot(const struct trace *t, const struct trace_access *access, uint16_t slot)
{
  uint64_t distance = (uint64_t)ir_offset_from(access->offset, t->cells.items[slot].offset);
  return access->size == UINT64_MAX || distance < access->size || -distance < size_of_slot(t);
}

static bool record_load_from_slot(struct trace *t, const struct trace_access *access, uint16_t slot)
{
  uint16_t cell = TRACE_NO_CELL;
  bool pointer = edit_is_pointer(LLVMTypeOf(access->at));
  if (access_is_exactly_slot(t, access, slot) && pointer && !trace_add_handle_if_room(t, access->at, &cell))
    return false;
  return cell == TRACE_NO_CELL ? trace_add_escape(t, access->at, slot, "is loaded as another type")
                               : add_cell_assignment(t, access->at, cell, slot, NULL, false);
}

static bool record_store_to_slot(struct trace *t, const struct trace_access *access, uint16_t slot)
{
  LLVMValueRef value = access_is_exactly_slot(t, access, slot) ? LLVMGetOperand(access->at, STORE_VALUE) : NULL;
  return add_cell_assignment(t, access->at, slot, TRACE_NO_CELL, value, false);
}

static bool access_covers_slot(const struct trace *t, const struct trace_access *access, uint16_t slot)
{
  uint64_t distance = (uint64_t)ir_offset_from(access->offset, t->cells.items[slot].offset), size = size_of_slot(t);
  return access->size != UINT64_MAX && access->size >= size && distance <= access->size - size;
}

/* A copy from memory that may hold the handle copies the handle. */
static bool record_copy_from_slot(struct trace *t, const struct trace_access *access, uint16_t slot)
{
  uint16_t to = TRACE_NO_CELL;
  LLVMValueRef address = LLVMGetOperand(access->at, MEMORY_TO);
  if (access_covers_slot(t, access, slot) &&
      !trace_add_slot(t, address, ir_offset_from(access->offset, t->cells.items[slot].offset), &to))
    return false;
  return to == TRACE_NO_CELL ? trace_add_escape(t, access->at, slot, "is copied to memory that is not tracked")
                             : add_cell_assignment(t, access->at, to, slot, NULL, false);
}

static bool record_overwrite_of_slot(struct trace *t, const struct trace_access *access, uint16_t slot)
{
  return add_cell_assignment(t, access->at, slot, TRACE_NO_CELL, NULL, access->size == UINT64_MAX);
}

static bool apply_access_if_it_overlaps_slot(struct trace *t, struct trace_access access, uint16_t slot)
{
  static bool (*const effects[])(struct trace *, const struct trace_access *, uint16_t) = {
      [ACCESS_LOAD] = record_load_from_slot,      [ACCESS_STORE] = record_store_to_slot,
      [ACCESS_COPY_FROM] = record_copy_from_slot, [ACCESS_COPY_TO] = record_overwrite_of_slot,
      [ACCESS_FILL] = record_overwrite_of_slot,   [ACCESS_CALL] = trace_apply_call_effect_on_slot,
      [ACCESS_FORGET] = record_overwrite_of_slot,
  };
  return !access_overlaps_slot(t, &access, slot) || effects[access.kind](t, &access, slot);
}

bool trace_add_access(struct trace *t, struct trace_access access)
{
  if (!coro_vec_push(t->run->arena, &t->accesses, access))
    return false;
  for (uint16_t i = 0; i < t->cells.count; i++)
    if (!t->cells.items[i].value && t->cells.items[i].object == access.object &&
        !apply_access_if_it_overlaps_slot(t, access, i))
      return false;
  return true;
}

static bool add_slot_cell_and_replay_accesses(struct trace *t, uint32_t object, int64_t offset, uint16_t *cell)
{
  if (!trace_add_cell_if_room(t, (struct trace_cell){.object = object, .offset = offset}, cell))
    return false;
  for (uint32_t i = 0; i < t->accesses.count && *cell != TRACE_NO_CELL; i++)
    if (t->accesses.items[i].object == object && !apply_access_if_it_overlaps_slot(t, t->accesses.items[i], *cell))
      return false;
  return true;
}

bool trace_mark_object_exposed(struct trace *t, uint32_t object, LLVMValueRef at)
{
  if (!t->objects.items[object].exposed)
    t->objects.items[object].exposed = at;
  return true;
}

static bool is_noalias_or_sret_parameter(const struct trace *t, LLVMValueRef parameter)
{
  unsigned at = edit_parameter_index(parameter) + 1;
  return !edit_stack_argument_attribute(t->function, at) &&
         (edit_has_attribute(t->function, at, "noalias") || edit_has_attribute(t->function, at, "sret"));
}

/* Whether memory can be tracked: a static alloca, or a parameter's memory that does not alias. */
static bool is_static_alloca_or_tracked_parameter(const struct trace *t, LLVMValueRef base)
{
  if (LLVMIsAArgument(base))
    return t->tracks_parameter_memory && is_noalias_or_sret_parameter(t, base);
  return LLVMIsAAllocaInst(base) && LLVMIsAConstantInt(LLVMGetOperand(base, ALLOCA_COUNT)) &&
         LLVMGetInstructionParent(base) == LLVMGetEntryBasicBlock(t->function);
}

static bool add_tracked_object(struct trace *t, LLVMValueRef base)
{
  struct trace_value value = {base, VALUE_OBJECT, TRACE_NO_CELL, 0, t->objects.count, TRACE_WHOLE_VALUE};
  return coro_vec_push(t->run->arena, &t->objects, ((struct trace_object){base, NULL})) &&
         trace_add_value_or_merge_escape(t, value);
}

bool trace_add_parameter_object(struct trace *t, LLVMValueRef address)
{
  return trace_find_value(t, address) || add_tracked_object(t, address);
}

bool trace_add_slot(struct trace *t, LLVMValueRef address, int64_t offset, uint16_t *cell)
{
  struct ir_location at = ir_base_and_constant_offset(&t->sizes, address);
  const struct trace_value *known = trace_find_value(t, at.base);
  *cell = TRACE_NO_CELL;
  if (edit_is_instruction(at.base) && !LLVMIsAAllocaInst(at.base))
    return true;
  if (known ? known->kind != VALUE_OBJECT : !is_static_alloca_or_tracked_parameter(t, at.base))
    return true;
  offset = ir_offset_sum(offset, at.offset);
  uint32_t object = known ? known->object : t->objects.count;
  if (!known && !add_tracked_object(t, at.base))
    return false;
  *cell = find_slot_at_offset(t, object, offset);
  return *cell != TRACE_NO_CELL || add_slot_cell_and_replay_accesses(t, object, offset, cell);
}
