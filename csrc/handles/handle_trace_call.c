/* Handle trace: calls that receive the handle, or the address of memory that holds it. */
#include "handles/handle_trace_internal.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "ir/pointer_use.h"
#include "transform/tailcall.h"

static bool add_call_event(struct trace *t, LLVMValueRef at, enum trace_kind kind, uint16_t cell)
{
  return trace_add_event(t, (struct trace_event){.at = at, .kind = kind, .cell = cell});
}

/* Which clone a callee is: f.resume and so on directly, or loaded from the handle's slot. */
static bool find_slot_of_called_clone(const struct trace *t, LLVMValueRef callee, LLVMValueRef handle, uint64_t *slot)
{
  if (intrin_of(t->run->intrin, callee) == INTRIN_SUBFN_ADDR)
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

/* The await intrinsics call a function with their first two operands. */
static LLVMValueRef follow_function_call(const struct trace *t, LLVMValueRef call)
{
  enum intrin intrin = intrin_of(t->run->intrin, call);
  bool awaits = intrin == INTRIN_AWAIT_VOID || intrin == INTRIN_AWAIT_BOOL || intrin == INTRIN_AWAIT_HANDLE;
  return awaits ? LLVMGetOperand(call, AWAIT_FUNCTION) : LLVMGetCalledValue(call);
}

/* A tail call, whatever it does with the address: the frame must not be on the stack then. */
static bool follow_tail_call(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  return !tailcall_is_musttail(call) || add_call_event(t, call, TRACE_MUSTTAIL, v->cell);
}

static bool follow_call_argument(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  struct pointer_arguments arguments = pointer_arguments_of(call, v->value);
  if (arguments.count != 1 || arguments.others || LLVMGetNumOperandBundles(call))
    return trace_add_escape(t, call, v->cell, "is passed to a call that is not analyzed");
  return trace_handle_argument(t, v, call, follow_function_call(t, call), arguments.first);
}

bool trace_call_use(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  uint64_t slot;
  if (!follow_tail_call(t, v, call))
    return false;
  if (v->kind == VALUE_AGGREGATE)
    return trace_add_escape(t, call, v->cell, "is passed to a call that is not analyzed");
  if (LLVMIsAMemIntrinsic(call))
    return true;
  switch (intrin_of(t->run->intrin, call)) {
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

static uint64_t constant_length_of_memory_access(LLVMValueRef call)
{
  uint64_t length;
  return edit_read_integer_constant(LLVMGetOperand(call, MEMORY_LENGTH), &length) ? length : UINT64_MAX;
}

static bool follow_memory_intrinsic(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  struct trace_access access = {call, ACCESS_FILL, v->object, v->offset, constant_length_of_memory_access(call), NULL,
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
static bool is_passed_as_two_arguments(const struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  unsigned count = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < count; i++) {
    const struct trace_value *other = trace_find_value(t, LLVMGetOperand(call, i));
    if (other && other->value != v->value && other->kind == VALUE_OBJECT && other->object == v->object)
      return true;
  }
  return false;
}

bool trace_object_argument(struct trace *t, const struct trace_value *v, LLVMValueRef call)
{
  struct pointer_arguments arguments = pointer_arguments_of(call, v->value);
  unsigned first = arguments.first;
  bool single = arguments.count == 1 && !arguments.others, escapes, writes;
  if (LLVMIsAMemIntrinsic(call))
    return follow_memory_intrinsic(t, v, call);
  enum intrin intrin = intrin_of(t->run->intrin, call);
  if (intrin_is_lifetime(intrin))
    return trace_add_access(t, (struct trace_access){call, ACCESS_FORGET, v->object, 0, UINT64_MAX, NULL, 0});
  if (call == t->ramp_call && single && first < 64 && t->ramp_call_stores >> first & 1)
    return !(t->ramp_call_exposes >> first & 1) ||
           trace_mark_object_exposed(t, v->object, call); /* its content is described by the ramp's summary */
  if (!single || LLVMGetNumOperandBundles(call) || v->offset == VALUE_UNKNOWN_OFFSET)
    return trace_mark_object_exposed(t, v->object, call);
  if (is_passed_as_two_arguments(t, v, call) && !trace_mark_object_exposed(t, v->object, call))
    return false; /* effects through one address are visible through the other */
  LLVMValueRef callee = follow_function_call(t, call);
  if (!trace_address_effect(t, call, callee, first, &escapes, &writes))
    return false;
  if (escapes && !trace_mark_object_exposed(t, v->object, call))
    return false;
  return trace_add_access(t, (struct trace_access){call, ACCESS_CALL, v->object, v->offset, UINT64_MAX, callee, first});
}
