/* Handle trace: the worklist, and all uses except calls: of the handle, of frame addresses, and of objects, which are
   memory that holds the handle. */
#include "handles/handle_trace_internal.h"
#include "ir/edit.h"
#include "ir/offset.h"
#include "ir/operand.h"
#include "ir/pointer_use.h"

/* ---- Uses of the handle, or of an address in the frame ---- */

static const char *text_of_address_for_reason(struct trace *t, LLVMValueRef value)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(value, &length), *sign = LLVMIsAGlobalValue(value) ? "@" : "%";
  const char *text = length ? coro_arena_printf(t->run->arena, "%s%.*s", sign, (int)length, name) : "an address";
  return text ? text : "";
}

static const char *store_escape_reason(struct trace *t, LLVMValueRef store)
{
  LLVMValueRef to = edit_base_of(LLVMGetOperand(store, STORE_ADDRESS));
  return coro_arena_printf(t->run->arena, "is stored to %s", text_of_address_for_reason(t, to));
}

static bool follow_store(struct trace *t, const struct trace_value *v, LLVMValueRef store)
{
  uint16_t slot;
  if (v->kind == VALUE_HANDLE && !LLVMGetVolatile(store) && LLVMGetOrdering(store) == LLVMAtomicOrderingNotAtomic) {
    if (!trace_add_slot(t, LLVMGetOperand(store, STORE_ADDRESS), 0, &slot))
      return false;
    if (slot != TRACE_NO_CELL)
      return true; /* the store is recorded by the object */
  }
  return trace_add_escape(t, store, v->cell, store_escape_reason(t, store));
}

static bool follow_address_computation(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  int64_t offset;
  struct trace_value next = *v;
  next.value = user;
  if (LLVMGetOperand(user, ADDRESS_BASE) != v->value)
    return trace_add_escape(t, user, v->cell, "is an operand of arithmetic");
  bool known = ir_constant_offset_from_operand(&t->sizes, user, &offset);
  next.offset = known && v->offset != VALUE_UNKNOWN_OFFSET ? ir_offset_sum(v->offset, offset) : VALUE_UNKNOWN_OFFSET;
  if (next.offset < 0 && next.offset != VALUE_UNKNOWN_OFFSET) { /* memory before the frame belongs to the allocator */
    t->accesses_below_frame = true;
    return trace_add_escape(t, user, v->cell, "is used to address memory before its frame");
  }
  next.kind = next.offset == 0 && v->cell != TRACE_EVERY_PATH ? VALUE_HANDLE : VALUE_FRAME_ADDRESS;
  return trace_add_value(t, next);
}

static bool follow_phi_or_select(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  uint16_t cell;
  bool select = LLVMGetInstructionOpcode(user) == LLVMSelect;
  if (v->kind == VALUE_FRAME_ADDRESS) {
    struct trace_value next = {user, VALUE_FRAME_ADDRESS, TRACE_EVERY_PATH, VALUE_UNKNOWN_OFFSET, 0, TRACE_WHOLE_VALUE};
    t->frame_address_in_phi |= !select;
    return trace_add_value(t, next);
  }
  if (v->kind != VALUE_HANDLE)
    return trace_add_escape(t, user, v->cell, "is merged with other pointers");
  if (!trace_find_or_add_cell(t, user, &cell))
    return false;
  if (cell == TRACE_NO_CELL)
    return trace_add_escape(t, user, v->cell, "is merged with too many other pointers");
  return !select || trace_add_event(t, (struct trace_event){.at = user,
                                                            .kind = TRACE_SET,
                                                            .cell = cell,
                                                            .from = TRACE_NO_CELL,
                                                            .value = LLVMGetOperand(user, SELECT_TRUE),
                                                            .other = LLVMGetOperand(user, SELECT_FALSE)});
}

static bool follow_insertvalue(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  struct trace_value next = {user, VALUE_AGGREGATE, v->cell, 0, 0, v->field};
  bool one = LLVMGetNumIndices(user) == 1;
  if (v->kind == VALUE_HANDLE && one) {
    next.field = LLVMGetIndices(user)[0];
    return trace_add_value(t, next);
  }
  if (v->kind != VALUE_AGGREGATE || LLVMGetOperand(user, AGGREGATE) != v->value)
    return trace_add_escape(t, user, v->cell, "is inserted into another value");
  return (one && LLVMGetIndices(user)[0] == v->field) || trace_add_value(t, next);
}

static bool follow_extractvalue(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  if (LLVMGetNumIndices(user) != 1)
    return trace_add_escape(t, user, v->cell, "is part of an aggregate that is not tracked");
  if (LLVMGetIndices(user)[0] != v->field)
    return true;
  return trace_add_value(t, (struct trace_value){user, VALUE_HANDLE, v->cell, 0, 0, TRACE_WHOLE_VALUE});
}

static bool follow_return(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  if (v->kind == VALUE_FRAME_ADDRESS)
    return trace_add_escape(t, user, v->cell, "is returned");
  return trace_add_event(t, (struct trace_event){.at = user, .kind = TRACE_RETURN, .cell = v->cell, .field = v->field});
}

static uint64_t size_in_bytes(struct trace *t, LLVMTypeRef type)
{
  uint64_t bytes;
  return ir_size_of(&t->sizes, type, &bytes) ? bytes : UINT64_MAX;
}

static bool follow_derived_address(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  int64_t offset;
  struct trace_value next = *v;
  if (LLVMGetOperand(user, ADDRESS_BASE) != v->value || !ir_constant_offset_from_operand(&t->sizes, user, &offset))
    return trace_mark_object_exposed(t, v->object, user);
  next.value = user;
  next.offset = ir_offset_sum(next.offset, offset);
  return trace_add_value(t, next);
}

static bool follow_object_use(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  struct trace_access access = {user, ACCESS_LOAD, v->object, v->offset, 0, NULL, 0};
  switch (pointer_use_of(user, v->value)) {
  case POINTER_USE_COMPARE: return true;
  case POINTER_USE_LOAD: access.size = size_in_bytes(t, LLVMTypeOf(user)); return trace_add_access(t, access);
  case POINTER_USE_STORE:
    access.kind = ACCESS_STORE;
    access.size = size_in_bytes(t, LLVMTypeOf(LLVMGetOperand(user, STORE_VALUE)));
    return trace_add_access(t, access);
  case POINTER_USE_ADDRESS: return follow_derived_address(t, v, user);
  case POINTER_USE_HINT: return true;
  case POINTER_USE_CALL: return trace_object_argument(t, v, user);
  default: return trace_mark_object_exposed(t, v->object, user);
  }
}

static bool follow_use(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  struct trace_value same = *v;
  same.value = user;
  if (v->kind == VALUE_OBJECT)
    return follow_object_use(t, v, user);
  switch (pointer_use_of(user, v->value)) {
  case POINTER_USE_LOAD:
  case POINTER_USE_STORE:
  case POINTER_USE_COMPARE:
  case POINTER_USE_HINT: return true;
  case POINTER_USE_AS_CONTENT: return follow_store(t, v, user);
  case POINTER_USE_ADDRESS: return follow_address_computation(t, v, user);
  case POINTER_USE_FREEZE: return trace_add_value(t, same);
  case POINTER_USE_MERGE: return follow_phi_or_select(t, v, user);
  case POINTER_USE_INSERT: return follow_insertvalue(t, v, user);
  case POINTER_USE_EXTRACT: return follow_extractvalue(t, v, user);
  case POINTER_USE_RETURN: return follow_return(t, v, user);
  case POINTER_USE_TO_INTEGER:
  case POINTER_USE_COMPUTE: return trace_add_frame_address(t, user); /* it may be converted back */
  case POINTER_USE_CALL: return trace_call_use(t, v, user);
  default: return trace_add_escape(t, user, v->cell, "is an operand of arithmetic");
  }
}

bool trace_follow_all_uses(struct trace *t)
{
  for (uint32_t i = 0; i < t->values.count; i++) {
    struct trace_value value = t->values.items[i]; /* a copy: the array may be reallocated */
    for (LLVMUseRef next = LLVMGetFirstUse(value.value); next; next = LLVMGetNextUse(next))
      if (!follow_use(t, &value, LLVMGetUser(next)))
        return false;
  }
  return !coro_arena_failed(t->run->arena);
}

LLVMValueRef trace_find_use_among(const struct trace *t, const struct coro_map *instructions)
{
  for (uint32_t i = 0; i < t->values.count; i++) {
    const struct trace_value *v = &t->values.items[i];
    for (LLVMUseRef use = LLVMGetFirstUse(v->value); use && v->kind != VALUE_OBJECT; use = LLVMGetNextUse(use))
      if (coro_map_has(instructions, coro_map_key(LLVMGetUser(use))))
        return LLVMGetUser(use);
  }
  return NULL;
}
