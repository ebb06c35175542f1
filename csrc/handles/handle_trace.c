/* Handle trace: the worklist, and uses of the handle, of frame addresses, and of objects, which are memory that holds
   the handle; calls included. */
#include "handles/handle_trace_internal.h"
#include "ir/edit.h"
#include "ir/offset.h"
#include "ir/operand.h"
#include "ir/pointer_use.h"
#include "transform/tailcall.h"

/* ---- Calls that receive the handle, or an object ---- */

static bool add_call_event(struct trace *t, LLVMValueRef at, enum trace_kind kind, uint16_t cell)
{
  return trace_add_event(t, (struct trace_event){.at = at, .kind = kind, .cell = cell});
}

/* Which clone a callee is: f.resume and so on directly, or loaded from the handle's slot. */
static bool find_slot_of_called_clone(const struct trace *t, LLVMValueRef callee, LLVMValueRef handle, uint64_t *slot)
{
  if (intrin_of_call(t->run->intrin, callee) == INTRIN_SUBFN_ADDR)
    return LLVMGetOperand(callee, SUBFN_HANDLE) == handle &&
           edit_read_integer_constant(LLVMGetOperand(callee, SUBFN_INDEX), slot);
  for (*slot = 0; t->clones && *slot < CLONE_SLOT_COUNT; ++*slot)
    if (t->clones->address[*slot] == callee)
      return true;
  return false;
}

static bool follow_clone_call(struct trace *t, const struct trace_value *v, LLVMValueRef call, uint64_t slot)
{
  if (slot == CLONE_SLOT_RESUME)
    return add_call_event(t, call, TRACE_RESUME, v->cell);
  if (v->kind != VALUE_HANDLE)
    return true; /* the coroutine may have ended */
  if (t->clones && LLVMGetCalledValue(call) == t->clones->address[CLONE_SLOT_DESTROY] &&
      !coro_vec_push(t->run->arena, &t->destroys, call))
    return false;
  return add_call_event(t, call, TRACE_END, v->cell);
}

LLVMValueRef trace_callee_or_await_function(const struct trace *t, LLVMValueRef call)
{
  enum intrin intrin = intrin_of_call(t->run->intrin, call);
  bool awaits = intrin == INTRIN_AWAIT_VOID || intrin == INTRIN_AWAIT_BOOL || intrin == INTRIN_AWAIT_HANDLE;
  return awaits ? LLVMGetOperand(call, AWAIT_FUNCTION) : LLVMGetCalledValue(call);
}

/* A tail call, whatever it does with the address: the frame must not be on the stack then. */
static bool add_event_if_musttail(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  return !tailcall_is_musttail(call) || add_call_event(t, call, TRACE_MUSTTAIL, v->cell);
}

static bool follow_call_argument(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  struct pointer_arguments arguments = pointer_arguments_of(call, v->value);
  if (arguments.count != 1 || arguments.others || LLVMGetNumOperandBundles(call))
    return trace_add_escape(t, call, v->cell, "is passed to a call that is not analyzed");
  return trace_apply_call_effect_on_handle(t, v, call, trace_callee_or_await_function(t, call), arguments.first);
}

static bool follow_call_use(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  uint64_t slot;
  if (!add_event_if_musttail(t, v, call))
    return false;
  if (v->kind == VALUE_AGGREGATE)
    return trace_add_escape(t, call, v->cell, "is passed to a call that is not analyzed");
  if (LLVMIsAMemIntrinsic(call))
    return true;
  switch (intrin_of_call(t->run->intrin, call)) {
  case INTRIN_SUBFN_ADDR:
  case INTRIN_SAVE:
  case INTRIN_DONE:
  case INTRIN_END:
  case INTRIN_LIFETIME_START:
  case INTRIN_LIFETIME_END: return true;
  case INTRIN_FREE: return v->kind != VALUE_HANDLE || add_call_event(t, call, TRACE_END, v->cell);
  case INTRIN_RESUME: return add_call_event(t, call, TRACE_RESUME, v->cell);
  case INTRIN_DESTROY: return add_call_event(t, call, TRACE_END, v->cell);
  case INTRIN_PROMISE:
    return trace_add_escape(t, call, v->cell, "is converted to its promise's address"); /* before coro-early */
  default: break;
  }
  bool clone = LLVMGetNumArgOperands(call) == 1 && LLVMGetOperand(call, CLONE_PARAMETER_FRAME) == v->value &&
               find_slot_of_called_clone(t, LLVMGetCalledValue(call), v->value, &slot);
  return clone ? follow_clone_call(t, v, call, slot) : follow_call_argument(t, v, call);
}

/* ---- Objects ---- */

static uint64_t length_of_memory_intrinsic_or_max(LLVMValueRef call)
{
  uint64_t length;
  return edit_read_integer_constant(LLVMGetOperand(call, MEMORY_LENGTH), &length) ? length : UINT64_MAX;
}

static bool follow_memory_intrinsic(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  struct trace_access access = {call, ACCESS_FILL, v->object, v->offset, length_of_memory_intrinsic_or_max(call), NULL,
                                0};
  bool copies = !LLVMIsAMemSetInst(call);
  if (copies && LLVMGetOperand(call, MEMORY_FROM) == v->value) {
    access.kind = ACCESS_COPY_FROM;
    if (!trace_add_access(t, access))
      return false;
  }
  if (LLVMGetOperand(call, MEMORY_TO) != v->value)
    return true;
  access.kind = copies ? ACCESS_COPY_TO : ACCESS_FILL;
  return trace_add_access(t, access);
}

/* Whether another argument is a known address in the same object. */
static bool has_other_argument_in_same_object(const struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  unsigned count = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < count; i++) {
    const struct trace_value *other = trace_find_value(t, LLVMGetOperand(call, i));
    if (other && other->value != v->value && other->kind == VALUE_OBJECT && other->object == v->object)
      return true;
  }
  return false;
}

static bool follow_object_argument(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  struct pointer_arguments arguments = pointer_arguments_of(call, v->value);
  unsigned first = arguments.first;
  bool single = arguments.count == 1 && !arguments.others;
  struct address_effect effect;
  if (LLVMIsAMemIntrinsic(call))
    return follow_memory_intrinsic(t, v, call);
  enum intrin intrin = intrin_of_call(t->run->intrin, call);
  if (intrin_is_lifetime(intrin))
    return trace_add_access(t, (struct trace_access){call, ACCESS_FORGET, v->object, 0, UINT64_MAX, NULL, 0});
  if (intrin == INTRIN_PROMISE || intrin == INTRIN_FREE) { /* their results are addresses in the object, although LLVM
                                                               declares the arguments captures(none) */
    struct trace_value result = *v;
    result.value = call;
    return t->traces_address ? trace_add_value_or_merge_escape(t, result)
                             : trace_mark_object_exposed(t, v->object, call);
  }
  if (call == t->ramp_call && single && first < 64 && t->ramp_call_stores >> first & 1)
    return !(t->ramp_call_exposes >> first & 1) ||
           trace_mark_object_exposed(t, v->object, call); /* its content is described by the ramp's summary */
  if (!single || LLVMGetNumOperandBundles(call) || v->offset == VALUE_UNKNOWN_OFFSET)
    return trace_mark_object_exposed(t, v->object, call);
  if (has_other_argument_in_same_object(t, v, call) && !trace_mark_object_exposed(t, v->object, call))
    return false; /* effects through one address are visible through the other */
  LLVMValueRef callee = trace_callee_or_await_function(t, call);
  if (!trace_address_effect(t, call, callee, first, &effect))
    return false;
  bool follows = effect.returns && t->traces_address;
  struct trace_value result = *v;
  result.value = call;
  if (follows && !trace_add_value_or_merge_escape(t, result))
    return false;
  if ((effect.captures || (effect.returns && !follows)) && !trace_mark_object_exposed(t, v->object, call))
    return false;
  return trace_add_access(t, (struct trace_access){call, ACCESS_CALL, v->object, v->offset, UINT64_MAX, callee, first});
}

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
  LLVMValueRef to = edit_strip_geps(LLVMGetOperand(store, STORE_ADDRESS));
  return coro_arena_printf(t->run->arena, "is stored to %s", text_of_address_for_reason(t, to));
}

static bool follow_store_of_handle(struct trace *t, const struct trace_value *v, LLVMValueRef store)
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

static bool follow_address_computed_from_frame(struct trace *t, const struct trace_value *v, LLVMValueRef user)
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
  return trace_add_value_or_merge_escape(t, next);
}

static bool follow_phi_or_select(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  uint16_t cell;
  bool select = LLVMGetInstructionOpcode(user) == LLVMSelect;
  if (v->kind == VALUE_FRAME_ADDRESS) {
    struct trace_value next = {user, VALUE_FRAME_ADDRESS, TRACE_EVERY_PATH, VALUE_UNKNOWN_OFFSET, 0, TRACE_WHOLE_VALUE};
    t->frame_address_in_phi |= !select;
    return trace_add_value_or_merge_escape(t, next);
  }
  if (v->kind != VALUE_HANDLE)
    return trace_add_escape(t, user, v->cell, "is merged with other pointers");
  if (!trace_add_handle_if_room(t, user, &cell))
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
    return trace_add_value_or_merge_escape(t, next);
  }
  if (v->kind != VALUE_AGGREGATE || LLVMGetOperand(user, AGGREGATE) != v->value)
    return trace_add_escape(t, user, v->cell, "is inserted into another value");
  return (one && LLVMGetIndices(user)[0] == v->field) || trace_add_value_or_merge_escape(t, next);
}

static bool follow_extractvalue(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  if (LLVMGetNumIndices(user) != 1)
    return trace_add_escape(t, user, v->cell, "is part of an aggregate that is not tracked");
  if (LLVMGetIndices(user)[0] != v->field)
    return true;
  return trace_add_value_or_merge_escape(t, (struct trace_value){user, VALUE_HANDLE, v->cell, 0, 0, TRACE_WHOLE_VALUE});
}

static bool follow_return(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  if (v->kind == VALUE_FRAME_ADDRESS)
    return trace_add_escape(t, user, v->cell, "is returned");
  return trace_add_event(t, (struct trace_event){.at = user, .kind = TRACE_RETURN, .cell = v->cell, .field = v->field});
}

static uint64_t size_in_bytes_or_max(struct trace *t, LLVMTypeRef type)
{
  uint64_t bytes;
  return ir_size_of(&t->sizes, type, &bytes) ? bytes : UINT64_MAX;
}

static bool follow_address_computed_from_object(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  int64_t offset;
  struct trace_value next = *v;
  next.value = user;
  if (t->traces_address)
    return trace_add_value_or_merge_escape(t, next);
  if (LLVMGetOperand(user, ADDRESS_BASE) != v->value || !ir_constant_offset_from_operand(&t->sizes, user, &offset))
    return trace_mark_object_exposed(t, v->object, user);
  next.offset = ir_offset_sum(next.offset, offset);
  return trace_add_value_or_merge_escape(t, next);
}

/* Whether only loads and stores access a variable of this pointer type, as in unoptimized code:
     %this.addr = alloca ptr
     store ptr %this, ptr %this.addr
     %same = load ptr, ptr %this.addr
   If it is stored once, all loads have that value. With traces_address they may have it. */
static bool is_alloca_whose_loads_give_stored_pointer(const struct trace *t, LLVMValueRef variable, LLVMTypeRef type)
{
  unsigned stores = 0;
  if (!LLVMIsAAllocaInst(variable))
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    switch (pointer_use_of(user, variable)) {
    case POINTER_USE_STORE:
      type = LLVMGetVolatile(user) ? NULL : type;
      stores++;
      break;
    case POINTER_USE_LOAD: type = LLVMGetVolatile(user) || type != LLVMTypeOf(user) ? NULL : type; break;
    default: type = intrin_is_lifetime(intrin_of_call(t->run->intrin, user)) ? type : NULL;
    }
  }
  return type && (stores == 1 || t->traces_address);
}

static bool follow_stored_address(struct trace *t, const struct trace_value *v, LLVMValueRef store)
{
  LLVMValueRef variable = LLVMGetOperand(store, STORE_ADDRESS);
  if (!is_alloca_whose_loads_give_stored_pointer(t, variable, LLVMTypeOf(v->value)))
    return trace_mark_object_exposed(t, v->object, store);
  for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
    struct trace_value loaded = *v;
    loaded.value = LLVMGetUser(use);
    if (pointer_use_of(loaded.value, variable) == POINTER_USE_LOAD && !trace_add_value_or_merge_escape(t, loaded))
      return false;
  }
  return true;
}

static bool follow_object_use(struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  struct trace_access access = {user, ACCESS_LOAD, v->object, v->offset, 0, NULL, 0};
  struct trace_value same = *v;
  same.value = user;
  switch (pointer_use_of(user, v->value)) {
  case POINTER_USE_COMPARE: return true;
  case POINTER_USE_FREEZE:
  case POINTER_USE_MERGE:
    return t->traces_address ? trace_add_value_or_merge_escape(t, same) : trace_mark_object_exposed(t, v->object, user);
  case POINTER_USE_LOAD: access.size = size_in_bytes_or_max(t, LLVMTypeOf(user)); return trace_add_access(t, access);
  case POINTER_USE_STORE:
    access.kind = ACCESS_STORE;
    access.size = size_in_bytes_or_max(t, LLVMTypeOf(LLVMGetOperand(user, STORE_VALUE)));
    return trace_add_access(t, access);
  case POINTER_USE_ADDRESS: return follow_address_computed_from_object(t, v, user);
  case POINTER_USE_HINT: return true;
  case POINTER_USE_AS_CONTENT: return follow_stored_address(t, v, user);
  case POINTER_USE_CALL: return follow_object_argument(t, v, user);
  case POINTER_USE_RETURN:
    t->returns_address |= t->traces_address;
    return t->traces_address || trace_mark_object_exposed(t, v->object, user);
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
  case POINTER_USE_AS_CONTENT: return follow_store_of_handle(t, v, user);
  case POINTER_USE_ADDRESS: return follow_address_computed_from_frame(t, v, user);
  case POINTER_USE_FREEZE: return trace_add_value_or_merge_escape(t, same);
  case POINTER_USE_MERGE: return follow_phi_or_select(t, v, user);
  case POINTER_USE_INSERT: return follow_insertvalue(t, v, user);
  case POINTER_USE_EXTRACT: return follow_extractvalue(t, v, user);
  case POINTER_USE_RETURN: return follow_return(t, v, user);
  case POINTER_USE_TO_INTEGER:
  case POINTER_USE_COMPUTE: return trace_add_frame_address(t, user); /* it may be converted back */
  case POINTER_USE_CALL: return follow_call_use(t, v, user);
  default: return trace_add_escape(t, user, v->cell, "is an operand of arithmetic");
  }
}

/* Whether a comparison captures an address, by LLVM's definition of `captures`: unless the other operand is null, or an
   address in the same object. */
static bool captures_by_comparison(const struct trace *t, const struct trace_value *v, LLVMValueRef user)
{
  if (pointer_use_of(user, v->value) != POINTER_USE_COMPARE)
    return false;
  LLVMValueRef left = LLVMGetOperand(user, COMPARE_LEFT), right = LLVMGetOperand(user, COMPARE_RIGHT);
  return (left != v->value && !LLVMIsAConstantPointerNull(left) && !trace_find_value(t, left)) ||
         (right != v->value && !LLVMIsAConstantPointerNull(right) && !trace_find_value(t, right));
}

static bool expose_object_captured_by_comparison(struct trace *t)
{
  for (uint32_t i = 0; i < t->values.count && t->traces_address; i++) {
    const struct trace_value *v = &t->values.items[i];
    for (LLVMUseRef use = LLVMGetFirstUse(v->value); use; use = LLVMGetNextUse(use))
      if (captures_by_comparison(t, v, LLVMGetUser(use)) && !trace_mark_object_exposed(t, v->object, LLVMGetUser(use)))
        return false;
  }
  return true;
}

bool trace_follow_all_uses(struct trace *t)
{
  for (uint32_t i = 0; i < t->values.count; i++) {
    struct trace_value value = t->values.items[i]; /* a copy: the array may be reallocated */
    for (LLVMUseRef next = LLVMGetFirstUse(value.value); next; next = LLVMGetNextUse(next))
      if (!follow_use(t, &value, LLVMGetUser(next)))
        return false;
  }
  return expose_object_captured_by_comparison(t) && !coro_arena_failed(t->run->arena);
}

LLVMValueRef trace_find_use_among(const struct trace *t, const struct coro_map *instructions)
{
  for (uint32_t i = 0; i < t->values.count; i++) {
    const struct trace_value *v = &t->values.items[i];
    for (LLVMUseRef use = LLVMGetFirstUse(v->value); use && (t->traces_address || v->kind != VALUE_OBJECT);
         use = LLVMGetNextUse(use))
      if (coro_map_has(instructions, coro_map_key(LLVMGetUser(use))))
        return LLVMGetUser(use);
  }
  return NULL;
}
