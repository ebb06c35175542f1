/* Handle trace: tables of known values, cells and events, and the events for the effects of a callee on the handle, or
   on an object that holds it. */
#include "handles/handle_trace_internal.h"
#include "ir/edit.h"
#include "ir/offset.h"

/* ---- Tables ---- */

void trace_init(struct trace *t, struct pass_run *run, LLVMValueRef function)
{
  *t = (struct trace){.run = run, .function = function};
  ir_sizes_init(&t->sizes, run->arena, run->layout);
  coro_map_init(&t->known, run->arena);
}

bool trace_add_event(struct trace *t, struct trace_event event)
{
  event.number = t->events.count;
  return coro_vec_push(t->run->arena, &t->events, event);
}

bool trace_add_escape(struct trace *t, LLVMValueRef at, uint16_t cell, const char *what)
{
  return trace_add_event(t, (struct trace_event){.at = at, .kind = TRACE_ESCAPE, .cell = cell, .what = what});
}

const struct trace_value *trace_find_value(const struct trace *t, LLVMValueRef value)
{
  uint64_t index;
  return coro_map_get(&t->known, coro_map_key(value), &index) ? &t->values.items[index - 1] : NULL;
}

uint16_t trace_cell_of_value_or_none(const struct trace *t, LLVMValueRef value)
{
  const struct trace_value *known = trace_find_value(t, value);
  return known && known->kind == VALUE_HANDLE ? known->cell : TRACE_NO_CELL;
}

static bool are_facts_equal(const struct trace_value *a, const struct trace_value *b)
{
  return a->kind == b->kind && a->cell == b->cell && a->offset == b->offset && a->object == b->object &&
         a->field == b->field;
}

/* Adds a fact about a value. If it already has another fact, that one stays, and the value is recorded as an escape of
   the handle. False: out of memory. */
bool trace_add_value_or_merge_escape(struct trace *t, struct trace_value value)
{
  const struct trace_value *before = trace_find_value(t, value.value);
  if (before)
    return are_facts_equal(before, &value) ||
           trace_add_escape(t, value.value, TRACE_EVERY_PATH, "is merged with another address");
  return coro_vec_push(t->run->arena, &t->values, value) &&
         coro_map_put(&t->known, coro_map_key(value.value), t->values.count);
}

bool trace_add_cell_if_room(struct trace *t, struct trace_cell cell, uint16_t *number)
{
  *number = TRACE_NO_CELL;
  if (t->cells.count == TRACE_CELLS)
    return true;
  *number = (uint16_t)t->cells.count;
  return coro_vec_push(t->run->arena, &t->cells, cell);
}

bool trace_add_handle_if_room(struct trace *t, LLVMValueRef value, uint16_t *cell)
{
  *cell = trace_cell_of_value_or_none(t, value);
  if (*cell != TRACE_NO_CELL)
    return true;
  if (trace_find_value(t, value) || !trace_add_cell_if_room(t, (struct trace_cell){.value = value}, cell))
    return !coro_arena_failed(t->run->arena);
  return *cell == TRACE_NO_CELL ||
         trace_add_value_or_merge_escape(t, (struct trace_value){value, VALUE_HANDLE, *cell, 0, 0, TRACE_WHOLE_VALUE});
}

bool trace_add_frame_address(struct trace *t, LLVMValueRef value)
{
  return trace_add_value_or_merge_escape(t, (struct trace_value){value, VALUE_FRAME_ADDRESS, TRACE_EVERY_PATH,
                                                                 VALUE_UNKNOWN_OFFSET, 0, TRACE_WHOLE_VALUE});
}

bool trace_add_aggregate_member_if_room(struct trace *t, LLVMValueRef aggregate, unsigned field, uint16_t *cell)
{
  return trace_add_cell_if_room(t, (struct trace_cell){.value = aggregate}, cell) &&
         (*cell == TRACE_NO_CELL ||
          trace_add_value_or_merge_escape(t, (struct trace_value){aggregate, VALUE_AGGREGATE, *cell, 0, 0, field}));
}

/* ---- Effects of callees ---- */

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
  if (edit_has_function_attribute(call, "nofree"))
    return false;
  if (!LLVMIsAFunction(callee))
    return true;
  for (unsigned i = 0; i < sizeof spared / sizeof *spared && parameter < LLVMCountParams(callee); i++)
    if (edit_has_attribute(callee, parameter + 1, spared[i]))
      return false;
  return !edit_has_function_attribute(callee, "nofree");
}

/* Sets the call's result from the summary; the handle returned by an awaiter is resumed. */
static bool assign_result_of_call(struct trace *t, LLVMValueRef call, const struct callee_effect *effect, uint16_t from)
{
  uint16_t cell;
  if (effect->result == HOLDS_OTHER)
    return true;
  if (intrin_is_coro(intrin_of_call(t->run->intrin, call)))
    return trace_add_event(
        t, (struct trace_event){.at = call, .kind = TRACE_RESUME, .cell = from, .has_other_effects = true});
  bool fine = effect->field == TRACE_WHOLE_VALUE ? trace_add_handle_if_room(t, call, &cell)
                                                 : trace_add_aggregate_member_if_room(t, call, effect->field, &cell);
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

bool trace_apply_call_effect_on_handle(struct trace *t, const struct trace_value *v, LLVMValueRef call,
                                       LLVMValueRef callee, unsigned parameter)
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

bool trace_apply_call_effect_on_slot(struct trace *t, const struct trace_access *access, uint16_t slot)
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

bool trace_address_effect(struct trace *t, LLVMValueRef call, LLVMValueRef callee, unsigned parameter,
                          struct address_effect *found)
{
  struct callee_effect effect = {0};
  bool own = edit_is_call_of(call, callee);
  bool never_captures = own && edit_is_nocapture(call, parameter);
  bool only_reads = own && (edit_call_or_callee_has_attribute(call, parameter + 1, "readonly") ||
                            edit_call_or_callee_has_attribute(call, parameter + 1, "readnone"));
  bool fine = (never_captures && only_reads) || t->query(t, callee, parameter, ARGUMENT_ADDRESS, 0, &effect);
  *found = (struct address_effect){.captures = effect.escapes && !never_captures,
                                   .returns = effect.result != HOLDS_OTHER && !never_captures,
                                   .writes = effect.writes && !only_reads};
  return fine;
}

bool trace_check_may_write_first_object(struct trace *t, bool *writes)
{
  bool fine = true;
  struct address_effect effect = {0};
  *writes = false;
  for (uint32_t i = 0; i < t->accesses.count && fine && !*writes; i++) {
    const struct trace_access *access = &t->accesses.items[i];
    if (access->object)
      continue;
    if (access->kind == ACCESS_CALL) {
      fine = trace_address_effect(t, access->at, access->callee, access->parameter, &effect);
      *writes = effect.writes;
    } else
      *writes = access->kind != ACCESS_LOAD && access->kind != ACCESS_COPY_FROM;
  }
  return fine;
}
