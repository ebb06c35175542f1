/* Handle trace: events for the effects of a callee on the handle, or on an object that holds it. */
#include "handles/handle_trace_internal.h"
#include "ir/edit.h"
#include "ir/offset.h"

static const char *argument_escape_reason(struct trace *t, LLVMValueRef callee, const char *what)
{
  size_t length = 0;
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
  if (!length)
    return "is passed to an unknown function";
  const char *text = coro_arena_printf(t->run->arena, "is passed to @%.*s, which may %s it", (int)length, name, what);
  return text ? text : "";
}

/* Whether the callee may free the memory. `captures(none)` does not exclude it; `nofree` and read-only access do.
   Custom allocators have neither attribute, and no known name. */
static bool may_free_memory(LLVMValueRef call, LLVMValueRef callee, unsigned parameter)
{
  static const char *const spared[] = {"nofree", "readonly", "readnone"};
  const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;
  if (edit_call_has_attribute(call, "nofree"))
    return false;
  if (!LLVMIsAFunction(callee))
    return true;
  for (unsigned i = 0; i < sizeof spared / sizeof *spared && parameter < LLVMCountParams(callee); i++)
    if (edit_has_attribute(callee, parameter + 1, spared[i]))
      return false;
  return !edit_has_attribute(callee, on_function, "nofree");
}

/* Sets the call's result from the summary; the handle returned by an awaiter is resumed. */
static bool assign_result_of_call(struct trace *t, LLVMValueRef call, const struct callee_effect *effect, uint16_t from)
{
  uint16_t cell;
  if (effect->result == HOLDS_OTHER)
    return true;
  if (intrin_is_coro(intrin_of(t->run->intrin, call)))
    return trace_add_event(
        t, (struct trace_event){.at = call, .kind = TRACE_RESUME, .cell = from, .has_other_effects = true});
  bool fine = effect->field == TRACE_WHOLE_VALUE ? trace_find_or_add_cell(t, call, &cell)
                                                 : trace_add_aggregate_member(t, call, effect->field, &cell);
  if (!fine || cell == TRACE_NO_CELL)
    return fine && trace_add_escape(t, call, from, "is returned by a call");
  return trace_add_event(
      t, (struct trace_event){
             .at = call, .kind = TRACE_SET, .cell = cell, .from = from, .weak = effect->result != HOLDS_HANDLE});
}

static bool apply_handle_effect(struct trace *t, LLVMValueRef call, LLVMValueRef callee,
                                const struct callee_effect *effect, uint16_t cell)
{
  if (effect->escapes &&
      !trace_add_escape(t, call, cell, argument_escape_reason(t, callee, effect->frees ? "free" : "capture")))
    return false;
  if (effect->resumes &&
      !trace_add_event(t,
                       (struct trace_event){.at = call, .kind = TRACE_RESUME, .cell = cell, .has_other_effects = true}))
    return false;
  if (effect->ends &&
      !trace_add_event(
          t, (struct trace_event){.at = call, .kind = TRACE_END, .cell = cell, .may_throw_first = effect->throws}))
    return false;
  return cell == TRACE_EVERY_PATH || assign_result_of_call(t, call, effect, cell);
}

bool trace_handle_argument(struct trace *t, const struct trace_value *v, LLVMValueRef call, LLVMValueRef callee,
                           unsigned parameter)
{
  struct callee_effect effect;
  enum argument_kind kind = v->kind == VALUE_HANDLE ? ARGUMENT_HANDLE : ARGUMENT_FRAME_ADDRESS;
  if (!t->query(t, callee, parameter, kind, 0, &effect))
    return false;
  bool own = edit_is_call_of(call, callee);
  effect.frees = false;
  t->accesses_below_frame |= effect.accesses_below_frame;
  if (own && !effect.accesses_below_frame && edit_is_nocapture(call, parameter)) {
    effect.frees = effect.escapes && may_free_memory(call, callee, parameter);
    effect.escapes = effect.frees;
  }
  return apply_handle_effect(t, call, callee, &effect, v->cell);
}

bool trace_slot_argument(struct trace *t, const struct trace_access *access, uint16_t slot)
{
  struct callee_effect effect;
  int64_t offset = ir_offset_from(access->offset, t->cells.items[slot].offset);
  if (!t->query(t, access->callee, access->parameter, ARGUMENT_OBJECT, offset, &effect) ||
      !apply_handle_effect(t, access->at, access->callee, &effect, slot))
    return false;
  return !effect.writes || trace_add_event(t, (struct trace_event){.at = access->at,
                                                                   .kind = TRACE_SET,
                                                                   .cell = slot,
                                                                   .from = TRACE_NO_CELL,
                                                                   .constant = effect.after,
                                                                   .by_callee = true});
}

bool trace_address_effect(struct trace *t, LLVMValueRef call, LLVMValueRef callee, unsigned parameter, bool *captures,
                          bool *writes)
{
  struct callee_effect effect = {0};
  bool own = edit_is_call_of(call, callee);
  bool never_captures = own && edit_is_nocapture(call, parameter);
  bool only_reads = own && (edit_call_or_callee_has_attribute(call, parameter + 1, "readonly") ||
                            edit_call_or_callee_has_attribute(call, parameter + 1, "readnone"));
  bool fine = (never_captures && only_reads) || t->query(t, callee, parameter, ARGUMENT_ADDRESS, 0, &effect);
  *captures = effect.escapes && !never_captures;
  *writes = effect.writes && !only_reads;
  return fine;
}

bool trace_check_may_write_first_object(struct trace *t, bool *writes)
{
  bool fine = true, captures;
  *writes = false;
  for (uint32_t i = 0; i < t->accesses.count && fine && !*writes; i++) {
    const struct trace_access *access = &t->accesses.items[i];
    if (access->object)
      continue;
    if (access->kind == ACCESS_CALL)
      fine = trace_address_effect(t, access->at, access->callee, access->parameter, &captures, writes);
    else
      *writes = access->kind != ACCESS_LOAD && access->kind != ACCESS_COPY_FROM;
  }
  return fine;
}
