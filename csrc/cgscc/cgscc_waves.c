/* Computes the waves from the SCC order, and masks functions; see cgscc_waves.h. */
#include "cgscc/cgscc_waves.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "cgscc/call_graph.h"
#include "ir/edit.h"

enum {
  MAX_REVISITS = 4, /* limit of revisits, as LLVM's devirt<4> */
  /* waves of more than a quarter of all functions always see the whole module, since each function is in few waves */
  SMALL_WAVE_DIVISOR = 4
};

typedef CORO_VEC(uint32_t) component_list;

/* Passes may delete functions and create others at the same address, so functions are identified by name. */
static uint64_t hash_of_function_name(LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ length, word;
  for (size_t i = 0; i < length; i += sizeof word) {
    word = 0;
    memcpy(&word, name + i, length - i < sizeof word ? length - i : sizeof word);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
  }
  return !length ? coro_map_key(function) : hash ? hash : 1;
}

static struct wave_function *find_wave_function(const struct cgscc_waves *waves, LLVMValueRef function)
{
  uint64_t position = 0;
  return coro_map_get(&waves->positions, hash_of_function_name(function), &position) ? &waves->functions.items[position]
                                                                                     : NULL;
}

static bool add_wave_function(struct cgscc_waves *waves, LLVMValueRef function, uint32_t component)
{
  struct wave_function added = {.function = function,
                                .optnone = edit_has_function_attribute(function, "optnone"),
                                .state = WAVE_PENDING,
                                .component = component};
  return coro_map_put(&waves->positions, hash_of_function_name(function), waves->functions.count) &&
         coro_vec_push(waves->arena, &waves->functions, added);
}

static bool waits_for_unsplit_coroutine(const struct cgscc_waves *waves, const struct wave_function *f)
{
  return f->component != NO_COMPONENT && waves->components[f->component].waits_for;
}

/* Adds a waiting function to the next wave, unless it depends on a coroutine that is not split. */
static bool add_function_to_wave_if_ready(struct cgscc_waves *waves, uint32_t position)
{
  struct wave_function *f = &waves->functions.items[position];
  if (f->state != WAVE_PENDING || !f->function || waits_for_unsplit_coroutine(waves, f))
    return true;
  f->state = WAVE_CURRENT;
  f->presplit = edit_is_presplit_definition(f->function);
  f->optnone = edit_has_function_attribute(f->function, "optnone");
  return coro_vec_push(waves->arena, &waves->current, position);
}

/* Whether the component contains a coroutine that is not split. */
static bool has_unsplit_coroutine(const struct cgscc_waves *waves, uint32_t component)
{
  const struct wave_component *c = &waves->components[component];
  bool ahead = false;
  for (uint32_t i = c->first; i < c[1].first && !ahead; i++) {
    const struct wave_function *f = &waves->functions.items[waves->component_members[i]];
    ahead = f->function && f->state != WAVE_DONE && edit_is_presplit_definition(f->function);
  }
  return ahead;
}

/* Decrements the dependency counts of the component's callers, and lists those that become ready. */
static bool decrement_dependencies_of_callers(struct cgscc_waves *waves, uint32_t component, component_list *ready)
{
  const struct wave_component *c = &waves->components[component];
  for (uint32_t i = c->first; i < c[1].first; i++) {
    uint32_t position = waves->component_members[i];
    for (uint32_t e = waves->calls.pred_start[position]; e < waves->calls.pred_start[position + 1]; e++) {
      uint32_t caller = waves->functions.items[waves->calls.pred[e]].component;
      if (caller != component && !--waves->components[caller].waits_for && !coro_vec_push(waves->arena, ready, caller))
        return false;
    }
  }
  return true;
}

/* Kahn's topological sort, up to coroutines that are not split: components in the list are ready and join the wave.
   A component without an unsplit coroutine releases its callers at once. */
static bool add_ready_components_to_wave(struct cgscc_waves *waves, component_list *ready)
{
  bool fine = true;
  for (uint32_t r = 0; r < ready->count && fine; r++) {
    uint32_t component = ready->items[r];
    struct wave_component *c = &waves->components[component];
    for (uint32_t i = c->first; i < c[1].first && fine; i++)
      fine = add_function_to_wave_if_ready(waves, waves->component_members[i]);
    if (c->released || has_unsplit_coroutine(waves, component))
      continue;
    c->released = true;
    fine = fine && decrement_dependencies_of_callers(waves, component, ready);
  }
  return fine;
}

static bool find_components(struct cgscc_waves *waves, const struct call_graph *calls)
{
  uint32_t functions = calls->functions.count, count = calls->scc.count;
  waves->components = CORO_NEW_ARRAY(waves->arena, struct wave_component, count + 1);
  if (!waves->components)
    return false;
  waves->component_members = calls->by_component.items;
  waves->calls = calls->graph;
  for (uint32_t c = 0; c <= count; c++)
    waves->components[c].first = calls->by_component.start[c];
  for (uint32_t position = 0; position < functions; position++)
    for (uint32_t e = calls->graph.succ_start[position]; e < calls->graph.succ_start[position + 1]; e++) {
      uint32_t from = calls->scc.component[position];
      waves->components[from].waits_for += from != calls->scc.component[calls->graph.succ[e]];
    }
  return true;
}

static bool start_first_wave(struct cgscc_waves *waves)
{
  struct call_graph calls;
  pass_values functions = {0};
  component_list ready = {0};
  coro_map_init(&waves->positions, waves->arena);
  bool fine = list_defined_functions(&functions, waves->arena, waves->run->module) &&
              call_graph_build(&calls, waves->arena, &functions) && find_components(waves, &calls) &&
              coro_map_reserve(&waves->positions, functions.count);
  for (uint32_t i = 0; i < functions.count && fine; i++)
    fine = add_wave_function(waves, functions.items[i], calls.scc.component[i]);
  for (uint32_t c = 0; fine && c < calls.scc.count; c++)
    if (!waves->components[c].waits_for)
      fine = coro_vec_push(waves->arena, &ready, c);
  waves->max_count = (MAX_REVISITS + 2) * (functions.count + 64);
  return fine && add_ready_components_to_wave(waves, &ready);
}

/* Lists functions created in this wave, in module order. They are appended to the module, but after module passes
   they may be anywhere. */
static bool list_functions_created_in_wave(const struct cgscc_waves *waves, struct coro_arena *arena, pass_values *list)
{
  LLVMValueRef first = waves->last && !waves->created_anywhere ? waves->last : LLVMGetFirstFunction(waves->run->module);
  bool fine = true;
  for (LLVMValueRef f = first; f && fine; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !find_wave_function(waves, f))
      fine = coro_vec_push(arena, list, f);
  return fine;
}

/* Makes functions of the last wave pending if they were split in it or requested another visit, else done. */
static void mark_last_wave_pending_or_done(struct cgscc_waves *waves, const struct wave_members *last)
{
  for (uint32_t i = 0; i < last->count; i++) {
    struct wave_function *f = &waves->functions.items[last->items[i]];
    bool split = f->function && f->presplit && !edit_is_presplit_definition(f->function);
    f->state = f->function && (f->visit_again || split) ? WAVE_PENDING : WAVE_DONE;
    f->revisits = split ? 0 : f->revisits;
    f->selected = f->requested = f->deferred = false;
  }
}

static bool reschedule_done_function_within_limit(struct cgscc_waves *waves, LLVMValueRef function)
{
  struct wave_function *f = find_wave_function(waves, function);
  if (!f || f->state != WAVE_DONE || f->revisits == MAX_REVISITS)
    return true;
  f->state = WAVE_PENDING;
  f->revisits++;
  return add_function_to_wave_if_ready(waves, (uint32_t)(f - waves->functions.items));
}

/* Schedules the callers of functions that are revisited. */
static bool reschedule_callers_of_revisited(struct cgscc_waves *waves, const struct wave_members *last)
{
  bool fine = true;
  for (uint32_t i = 0; i < last->count; i++) {
    struct wave_function *f = &waves->functions.items[last->items[i]];
    LLVMValueRef function = f->visit_again ? f->function : NULL;
    f->visit_again = false;
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use && fine; use = LLVMGetNextUse(use))
      if (edit_is_call_of(LLVMGetUser(use), function))
        fine = reschedule_done_function_within_limit(waves, edit_function_of(LLVMGetUser(use)));
  }
  return fine;
}

static bool start_next_wave(struct cgscc_waves *waves)
{
  struct wave_members last = waves->current;
  component_list ready = {0};
  pass_values made = {0};
  waves->current = (struct wave_members){0};
  bool fine = list_functions_created_in_wave(waves, waves->arena, &made);
  mark_last_wave_pending_or_done(waves, &last);
  for (uint32_t i = 0; i < last.count && fine; i++) {
    const struct wave_function *f = &waves->functions.items[last.items[i]];
    struct wave_component *c = f->component == NO_COMPONENT ? NULL : &waves->components[f->component];
    fine = add_function_to_wave_if_ready(waves, last.items[i]);
    if (c && !c->released && !has_unsplit_coroutine(waves, f->component))
      fine = fine && coro_vec_push(waves->arena, &ready, f->component);
  }
  fine = fine && add_ready_components_to_wave(waves, &ready) && reschedule_callers_of_revisited(waves, &last);
  for (uint32_t i = 0; i < made.count && fine; i++)
    fine = add_wave_function(waves, made.items[i], NO_COMPONENT) &&
           add_function_to_wave_if_ready(waves, waves->functions.count - 1);
  if (waves->current.count)
    qsort(waves->current.items, waves->current.count, sizeof *waves->current.items, compare_uint32);
  return fine;
}

coro_status waves_init(struct cgscc_waves *waves, struct pass_run *run)
{
  *waves = (struct cgscc_waves){.run = run, .arena = coro_arena_create()};
  if (!waves->arena)
    return CORO_ENOMEM;
  coro_arena_set_budget(waves->arena, &run->budget);
  return CORO_OK;
}

bool waves_count_is_small_fraction(const struct cgscc_waves *waves, uint32_t count)
{
  return count <= waves->functions.count / SMALL_WAVE_DIVISOR;
}

coro_status waves_start_next(struct cgscc_waves *waves, bool *more)
{
  bool fine = waves->count++ ? start_next_wave(waves) : start_first_wave(waves);
  *more = fine && waves->current.count && waves->count <= waves->max_count;
  waves->created_anywhere = waves->any_requested = false;
  waves->is_small_wave = waves->count > 1 && waves_count_is_small_fraction(waves, waves->current.count);
  waves->last = LLVMGetLastFunction(waves->run->module);
  return fine ? CORO_OK : CORO_ENOMEM;
}

bool waves_list_functions(const struct cgscc_waves *waves, struct coro_arena *arena, pass_values *list)
{
  bool fine = true;
  for (uint32_t i = 0; i < waves->current.count && fine; i++) {
    const struct wave_function *f = &waves->functions.items[waves->current.items[i]];
    if (f->function && (f->selected || !waves->restricted) && !LLVMIsDeclaration(f->function))
      fine = coro_vec_push(arena, list, f->function);
  }
  return fine && list_functions_created_in_wave(waves, arena, list);
}

void waves_update_after_module_passes(struct cgscc_waves *waves)
{
  waves->created_anywhere = true;
  for (uint32_t i = 0; i < waves->functions.count; i++)
    waves->functions.items[i].function = NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(waves->run->module); f; f = LLVMGetNextFunction(f)) {
    struct wave_function *known = LLVMIsDeclaration(f) ? NULL : find_wave_function(waves, f);
    if (known)
      known->function = f;
  }
}

uint32_t waves_position(const struct cgscc_waves *waves, LLVMValueRef function)
{
  const struct wave_function *f = find_wave_function(waves, function);
  return f ? (uint32_t)(f - waves->functions.items) : NO_COMPONENT;
}

bool waves_sort_known_by_position(const struct cgscc_waves *waves, struct coro_arena *arena, pass_values *functions)
{
  uint32_t *positions = CORO_NEW_ARRAY(arena, uint32_t, functions->count + 1), count = 0;
  for (uint32_t i = 0; i < functions->count && positions; i++) {
    uint32_t position = waves_position(waves, functions->items[i]);
    if (position != NO_COMPONENT)
      positions[count++] = position;
  }
  if (!positions)
    return false;
  if (count)
    qsort(positions, count, sizeof *positions, compare_uint32);
  functions->count = count;
  for (uint32_t i = 0; i < count; i++)
    functions->items[i] = waves->functions.items[positions[i]].function;
  return true;
}

void waves_move_creation_mark_before_deletable(struct cgscc_waves *waves, const struct coro_map *deletable)
{
  while (waves->last && coro_map_has(deletable, coro_map_key(waves->last)))
    waves->last = LLVMGetPreviousFunction(waves->last);
}

void waves_replace_function(struct cgscc_waves *waves, uint32_t position, LLVMValueRef function)
{
  if (position != NO_COMPONENT)
    waves->functions.items[position].function = function;
}

void waves_remove_function(struct cgscc_waves *waves, LLVMValueRef function)
{
  if (waves->last == function)
    waves->last = LLVMGetPreviousFunction(function);
  waves_replace_function(waves, waves_position(waves, function), NULL);
}

static bool is_in_wave(const struct cgscc_waves *waves, const struct wave_function *f)
{
  return f->state == WAVE_CURRENT && (f->selected || !waves->restricted);
}

bool waves_contains(const struct cgscc_waves *waves, LLVMValueRef function)
{
  const struct wave_function *f = find_wave_function(waves, function);
  return !f || is_in_wave(waves, f);
}

bool waves_request_visit(struct cgscc_waves *waves, LLVMValueRef function)
{
  struct wave_function *f = find_wave_function(waves, function);
  if (!f || (f->revisits == MAX_REVISITS && !waves->restricted))
    return false;
  f->revisits += !waves->restricted;
  f->visit_again = true;
  f->requested |= waves->restricted;
  waves->any_requested |= waves->restricted;
  waves->no_progress = false;
  return true;
}

void waves_restrict_to_selected(struct cgscc_waves *waves)
{
  waves->restricted = true;
}

static bool is_selectable_in_current_wave(const struct wave_function *f)
{
  return f && f->state == WAVE_CURRENT && !f->optnone;
}

bool waves_may_select(const struct cgscc_waves *waves, LLVMValueRef function)
{
  return is_selectable_in_current_wave(find_wave_function(waves, function));
}

bool waves_select_function_if_possible(struct cgscc_waves *waves, LLVMValueRef function)
{
  struct wave_function *f = find_wave_function(waves, function);
  bool selectable = is_selectable_in_current_wave(f);
  if (selectable)
    f->selected = true;
  return selectable;
}

void waves_postpone_selection(struct cgscc_waves *waves, LLVMValueRef function)
{
  struct wave_function *f = find_wave_function(waves, function);
  if (is_selectable_in_current_wave(f))
    f->deferred = true;
}

bool waves_select_requested_visits(struct cgscc_waves *waves)
{
  bool any = false;
  for (uint32_t i = 0; i < waves->current.count; i++) {
    struct wave_function *f = &waves->functions.items[waves->current.items[i]];
    f->selected = f->visit_again;
    f->visit_again = false;
    any |= f->selected;
  }
  for (uint32_t i = 0; i < waves->current.count && any; i++) {
    struct wave_function *f = &waves->functions.items[waves->current.items[i]];
    f->selected |= f->deferred;
    f->deferred = false;
  }
  return any;
}

bool waves_has_visit_request(const struct cgscc_waves *waves, LLVMValueRef function)
{
  const struct wave_function *f = find_wave_function(waves, function);
  return f && f->visit_again;
}

void waves_withdraw_visit_request(struct cgscc_waves *waves, LLVMValueRef function)
{
  struct wave_function *f = find_wave_function(waves, function);
  if (f)
    f->visit_again = false;
}

bool waves_had_visit_request_when_restricted(const struct cgscc_waves *waves, LLVMValueRef function)
{
  const struct wave_function *f = waves->any_requested ? find_wave_function(waves, function) : NULL;
  return f && f->requested;
}

void waves_end_restriction(struct cgscc_waves *waves)
{
  for (uint32_t i = 0; i < waves->current.count; i++) {
    struct wave_function *f = &waves->functions.items[waves->current.items[i]];
    f->selected = f->visit_again = f->deferred = false;
  }
  waves->restricted = false;
}

/* Whether the function gets optnone: it is outside of the wave and had no optnone before. */
static bool gets_temporary_optnone(const struct cgscc_waves *waves, LLVMValueRef function)
{
  const struct wave_function *f = LLVMIsDeclaration(function) ? NULL : find_wave_function(waves, function);
  return f && !is_in_wave(waves, f) && !f->optnone;
}

void waves_add_optnone_outside(const struct cgscc_waves *waves)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(waves->run->module); f; f = LLVMGetNextFunction(f))
    if (gets_temporary_optnone(waves, f))
      edit_add_function_attribute(f, "optnone");
}

void waves_remove_optnone_outside(const struct cgscc_waves *waves)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(waves->run->module); f; f = LLVMGetNextFunction(f))
    if (gets_temporary_optnone(waves, f))
      edit_remove_function_attribute(f, "optnone");
}

void waves_free(struct cgscc_waves *waves)
{
  coro_arena_free(waves->arena);
  waves->arena = NULL;
}
