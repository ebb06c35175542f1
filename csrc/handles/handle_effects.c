/* Summaries of callees. A query is memoized with the worst answer before it is computed, which ends recursion. */
#include "handles/handle_effects.h"

#include "handles/handle_walk.h"
#include "handles/reachable_code.h"
#include "ir/edit.h"

enum { MAX_DEPTH = 8, MAX_STEPS = 20000 };

void handle_effects_init(struct handle_effects *effects, struct pass_run *run)
{
  *effects = (struct handle_effects){.run = run, .steps = MAX_STEPS};
  coro_map_init(&effects->last_query, run->arena);
}

/* Whether all definitions of the name are equivalent (linkonce_odr and the like), so that this body represents them. */
static bool is_odr_definition(LLVMValueRef function)
{
  if (!LLVMIsAFunction(function) || LLVMIsDeclaration(function))
    return false;
  LLVMLinkage linkage = LLVMGetLinkage(function);
  return linkage == LLVMLinkOnceODRLinkage || linkage == LLVMWeakODRLinkage;
}

static bool can_analyze_body(const struct handle_effects *effects, LLVMValueRef function, unsigned parameter,
                             enum argument_kind kind)
{
  static const char *const names[] = {"byval", "inalloca", "preallocated", "swifterror", "swiftasync"};
  bool known = edit_has_exact_definition(function) || is_odr_definition(function);
  if (!known || parameter >= LLVMCountParams(function) ||
      (edit_is_presplit_definition(function) && kind != ARGUMENT_ADDRESS) ||
      edit_has_function_attribute(function, "naked") || effects->depth >= MAX_DEPTH)
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (edit_has_attribute(function, parameter + 1, names[i]))
      return false;
  return edit_is_pointer(LLVMTypeOf(LLVMGetParam(function, parameter)));
}

static bool add_traced_root(struct trace *t, const struct effect_query *query, uint16_t *cell)
{
  LLVMValueRef parameter = LLVMGetParam(query->function, query->parameter);
  *cell = TRACE_NO_CELL;
  switch (query->kind) {
  case ARGUMENT_HANDLE: return trace_add_handle_if_room(t, parameter, cell);
  case ARGUMENT_FRAME_ADDRESS: return trace_add_frame_address(t, parameter);
  case ARGUMENT_OBJECT:
    return trace_add_parameter_object(t, parameter) && trace_add_slot(t, parameter, query->offset, cell);
  default: return trace_add_parameter_object(t, parameter);
  }
}

static bool is_slot_written(const struct trace *t, uint16_t cell)
{
  for (uint32_t i = 0; i < t->events.count; i++)
    if (t->events.items[i].kind == TRACE_SET && t->events.items[i].cell == cell)
      return true;
  return false;
}

/* Whether it may move the handle to another slot of the object; the summary describes one slot. */
static bool has_other_slot_in_parameter_memory(const struct trace *t, uint16_t slot)
{
  for (uint16_t c = 0; c < t->cells.count; c++) {
    const struct trace_cell *cell = &t->cells.items[c];
    if (c != slot && !cell->value && LLVMIsAArgument(t->objects.items[cell->object].base))
      return true;
  }
  return false;
}

static bool compute_effect_along_paths(struct handle_effects *effects, struct trace *t,
                                       const struct effect_query *query, uint16_t cell, struct callee_effect *effect)
{
  struct instruction_positions positions;
  struct exceptional_exits exits;
  if (!positions_number_function(&positions, effects->run->arena, query->function))
    return false;
  exceptional_exits_init(&exits, effects->run, query->function);
  struct handle_walk w = {
      .trace = t, .positions = &positions, .exits = &exits, .all_paths = true, .steps = effects->steps};
  w.entry_state = WALK_ESCAPED; /* the caller may have let it escape */
  if (cell != TRACE_NO_CELL)
    w.entry_state |= (uint64_t)HOLDS_HANDLE << 2 * cell;
  if (!walk_handle(&w, NULL))
    return false;
  effects->steps = w.steps > positions.of.count ? w.steps - positions.of.count : 0;
  effect->accesses_below_frame = t->accesses_below_frame;
  if (w.reason)
    return true;
  bool slot = query->kind == ARGUMENT_OBJECT && cell != TRACE_NO_CELL;
  *effect = (struct callee_effect){.escapes = w.escapes || (t->objects.count && t->objects.items[0].exposed) ||
                                              has_other_slot_in_parameter_memory(t, cell),
                                   .accesses_below_frame = t->accesses_below_frame,
                                   .ends = !w.returns,
                                   .throws = w.escapes_on_unwind,
                                   .resumes = w.resumes,
                                   .result = w.result,
                                   .field = w.field,
                                   .writes = !slot || is_slot_written(t, cell),
                                   .after = slot ? w.cells_on_return[cell] : HOLDS_MAYBE};
  return true;
}

/* Whether a coroutine may use the address after its ramp has returned. False: out of memory. */
static bool check_address_used_after_suspend(const struct trace *t, bool *used)
{
  struct reachable after;
  bool fine = true;
  reachable_init(&after, t->run, t->function);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(t->function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at && fine; at = LLVMGetNextInstruction(at))
      if (edit_is_call(at) && intrin_is_suspend(intrin_of_call(t->run->intrin, at)))
        fine = reachable_add_from(&after, at);
  *used = trace_find_use_among(t, &after.found) != NULL;
  return fine;
}

static bool compute_argument_effect(struct handle_effects *effects, const struct effect_query *query,
                                    struct callee_effect *effect)
{
  struct trace t;
  uint16_t cell;
  handle_effects_init_trace(effects, effects->run, &t, query->function);
  t.traces_address = query->kind == ARGUMENT_ADDRESS;
  if (!add_traced_root(&t, query, &cell) || !trace_follow_all_uses(&t))
    return false;
  if (query->kind != ARGUMENT_ADDRESS)
    return compute_effect_along_paths(effects, &t, query, cell, effect);
  effect->escapes = t.objects.items[0].exposed != NULL;
  if (!effect->escapes && edit_is_presplit_definition(query->function) &&
      !check_address_used_after_suspend(&t, &effect->escapes))
    return false;
  effect->result = t.returns_address ? HOLDS_MAYBE : HOLDS_OTHER;
  return effect->escapes || trace_check_may_write_first_object(&t, &effect->writes);
}

static const struct effect_query *find_memoized_query(const struct handle_effects *effects,
                                                      const struct effect_query *query)
{
  uint64_t at = 0;
  coro_map_get(&effects->last_query, coro_map_key(query->function), &at);
  for (; at; at = effects->queries.items[at - 1].previous) {
    const struct effect_query *c = &effects->queries.items[at - 1];
    if (c->parameter == query->parameter && c->kind == query->kind && c->offset == query->offset)
      return c;
  }
  return NULL;
}

static bool find_or_compute_argument_effect(struct trace *t, LLVMValueRef function, unsigned parameter,
                                            enum argument_kind kind, int64_t offset, struct callee_effect *effect)
{
  struct handle_effects *effects = t->user;
  struct effect_query query = {function,
                               parameter,
                               kind,
                               offset,
                               {.escapes = true, .field = TRACE_WHOLE_VALUE, .writes = true, .after = HOLDS_MAYBE},
                               0};
  *effect = query.effect;
  if (!can_analyze_body(effects, function, parameter, kind))
    return true;
  const struct effect_query *previous = find_memoized_query(effects, &query);
  uint64_t last = 0;
  coro_map_get(&effects->last_query, coro_map_key(function), &last);
  query.previous = (uint32_t)last;
  if (previous) {
    *effect = previous->effect;
    return true;
  }
  uint32_t index = effects->queries.count;
  if (!effects->steps)
    return true;
  if (!coro_vec_push(effects->run->arena, &effects->queries, query) ||
      !coro_map_put(&effects->last_query, coro_map_key(function), index + 1))
    return false;
  effects->depth++;
  bool fine = compute_argument_effect(effects, &query, effect);
  effects->depth--;
  effects->queries.items[index].effect = *effect;
  return fine;
}

void handle_effects_init_trace(struct handle_effects *effects, struct pass_run *run, struct trace *t,
                               LLVMValueRef function)
{
  trace_init(t, run, function);
  t->query = find_or_compute_argument_effect;
  t->user = effects;
}
