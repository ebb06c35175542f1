/* Emulates a CGSCC pipeline by waves of functions.
   Requires: order, the passes.
   Guarantees: functions are unchanged, except between shield and unshield. */
#include "pipeline/cgscc_waves.h"

#include <stdlib.h>
#include <string.h>

#include "ir/edit.h"
#include "llvm-c/Analysis.h"
#include "pipeline/call_graph.h"

enum {
  MOST_CHANGES = 4, /* limit of revisits, as LLVM's devirt<4> */
  /* waves of more than a quarter of all functions always see the whole module, since each function is in few waves */
  FEW_PART = 4
};

typedef CORO_VEC(uint32_t) component_list;

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

/* Passes may delete functions and create others at the same address, so functions are identified by name. */
static uint64_t key_of(LLVMValueRef function)
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

static struct wave_function *find(const struct rounds *rounds, LLVMValueRef function)
{
  uint64_t place = 0;
  return coro_map_get(&rounds->places, key_of(function), &place) ? &rounds->functions.items[place] : NULL;
}

static bool add(struct rounds *rounds, LLVMValueRef function, uint32_t component)
{
  struct wave_function added = {.function = function, .turn = WAVE_PENDING, .component = component};
  return coro_map_put(&rounds->places, key_of(function), rounds->functions.count) &&
         coro_vec_push(rounds->arena, &rounds->functions, added);
}

static bool has_to_wait(const struct rounds *rounds, const struct wave_function *f)
{
  return f->component != NO_COMPONENT && rounds->components[f->component].waits_for;
}

/* Adds a waiting function to the next wave, unless it depends on a coroutine that is not split. */
static bool give_turn(struct rounds *rounds, uint32_t place)
{
  struct wave_function *f = &rounds->functions.items[place];
  if (f->turn != WAVE_PENDING || !f->function || has_to_wait(rounds, f))
    return true;
  f->turn = WAVE_CURRENT;
  f->presplit = edit_is_presplit(f->function);
  f->optnone = edit_has_attribute(f->function, on_function, "optnone");
  return coro_vec_push(rounds->arena, &rounds->turn, place);
}

/* Whether the component contains a coroutine that is not split. */
static bool is_ahead(const struct rounds *rounds, uint32_t component)
{
  const struct wave_component *c = &rounds->components[component];
  bool ahead = false;
  for (uint32_t i = c->first; i < c[1].first && !ahead; i++) {
    const struct wave_function *f = &rounds->functions.items[rounds->members[i]];
    ahead = f->function && f->turn != WAVE_DONE && edit_is_presplit(f->function);
  }
  return ahead;
}

/* Decrements the dependency counts of the component's callers, and lists those that become ready. */
static bool release_callers(struct rounds *rounds, uint32_t component, component_list *ready)
{
  const struct wave_component *c = &rounds->components[component];
  for (uint32_t i = c->first; i < c[1].first; i++) {
    uint32_t place = rounds->members[i];
    for (uint32_t e = rounds->calls.pred_start[place]; e < rounds->calls.pred_start[place + 1]; e++) {
      uint32_t caller = rounds->functions.items[rounds->calls.pred[e]].component;
      if (caller != component && !--rounds->components[caller].waits_for &&
          !coro_vec_push(rounds->arena, ready, caller))
        return false;
    }
  }
  return true;
}

/* Kahn's topological sort, up to coroutines that are not split: components in the list are ready and join the wave.
   A component without an unsplit coroutine releases its callers at once. */
static bool go_on(struct rounds *rounds, component_list *ready)
{
  bool fine = true;
  for (uint32_t r = 0; r < ready->count && fine; r++) {
    uint32_t component = ready->items[r];
    struct wave_component *c = &rounds->components[component];
    for (uint32_t i = c->first; i < c[1].first && fine; i++)
      fine = give_turn(rounds, rounds->members[i]);
    if (c->over || is_ahead(rounds, component))
      continue;
    c->over = true;
    fine = fine && release_callers(rounds, component, ready);
  }
  return fine;
}

static bool find_components(struct rounds *rounds, const struct calls *calls)
{
  uint32_t functions = calls->functions.count, count = calls->scc.count;
  rounds->components = CORO_NEW_ARRAY(rounds->arena, struct wave_component, count + 1);
  if (!rounds->components)
    return false;
  rounds->members = calls->order;
  rounds->calls = calls->graph;
  for (uint32_t i = functions; i-- > 0;)
    rounds->components[calls->scc.component[calls->order[i]]].first = i;
  rounds->components[count].first = functions;
  for (uint32_t place = 0; place < functions; place++)
    for (uint32_t e = calls->graph.succ_start[place]; e < calls->graph.succ_start[place + 1]; e++) {
      uint32_t from = calls->scc.component[place];
      rounds->components[from].waits_for += from != calls->scc.component[calls->graph.succ[e]];
    }
  return true;
}

static bool begin_first(struct rounds *rounds)
{
  struct calls calls;
  pass_values functions = {0};
  component_list ready = {0};
  coro_map_init(&rounds->places, rounds->arena);
  bool fine = list_defined_functions(&functions, rounds->arena, rounds->run->module) &&
              call_graph_build(&calls, rounds->arena, &functions) && find_components(rounds, &calls) &&
              coro_map_reserve(&rounds->places, functions.count);
  for (uint32_t i = 0; i < functions.count && fine; i++)
    fine = add(rounds, functions.items[i], calls.scc.component[i]);
  for (uint32_t c = 0; fine && c < calls.scc.count; c++)
    if (!rounds->components[c].waits_for)
      fine = coro_vec_push(rounds->arena, &ready, c);
  rounds->most = (MOST_CHANGES + 2) * (functions.count + 64);
  return fine && go_on(rounds, &ready);
}

/* Lists functions created in this wave, in module order. They are appended to the module, but after module passes
   they may be anywhere. */
static bool list_new(const struct rounds *rounds, struct coro_arena *arena, pass_values *list)
{
  LLVMValueRef first = rounds->last && !rounds->whole ? rounds->last : LLVMGetFirstFunction(rounds->run->module);
  bool fine = true;
  for (LLVMValueRef f = first; f && fine; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !find(rounds, f))
      fine = coro_vec_push(arena, list, f);
  return fine;
}

/* Decides which functions of the last wave continue in the next one. */
static void carry_on(struct rounds *rounds, const struct wave_members *last)
{
  for (uint32_t i = 0; i < last->count; i++) {
    struct wave_function *f = &rounds->functions.items[last->items[i]];
    bool split = f->function && f->presplit && !edit_is_presplit(f->function);
    f->turn = f->function && (f->again || split) ? WAVE_PENDING : WAVE_DONE;
    f->changes = split ? 0 : f->changes;
    f->picked = f->drives = false;
  }
}

static bool reopen(struct rounds *rounds, LLVMValueRef function)
{
  struct wave_function *f = find(rounds, function);
  if (!f || f->turn != WAVE_DONE || f->changes == MOST_CHANGES)
    return true;
  f->turn = WAVE_PENDING;
  f->changes++;
  return give_turn(rounds, (uint32_t)(f - rounds->functions.items));
}

/* Schedules the callers of functions that are revisited. */
static bool reopen_callers(struct rounds *rounds, const struct wave_members *last)
{
  bool fine = true;
  for (uint32_t i = 0; i < last->count; i++) {
    struct wave_function *f = &rounds->functions.items[last->items[i]];
    LLVMValueRef function = f->again ? f->function : NULL;
    f->again = false;
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use && fine; use = LLVMGetNextUse(use))
      if (edit_is_call_of(LLVMGetUser(use), function))
        fine = reopen(rounds, edit_function_of(LLVMGetUser(use)));
  }
  return fine;
}

static int compare_places(const void *a, const void *b)
{
  uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
  return (one > other) - (one < other);
}

static bool begin_next(struct rounds *rounds)
{
  struct wave_members last = rounds->turn;
  component_list ready = {0};
  pass_values made = {0};
  rounds->turn = (struct wave_members){0};
  bool fine = list_new(rounds, rounds->arena, &made);
  carry_on(rounds, &last);
  for (uint32_t i = 0; i < last.count && fine; i++) {
    const struct wave_function *f = &rounds->functions.items[last.items[i]];
    struct wave_component *c = f->component == NO_COMPONENT ? NULL : &rounds->components[f->component];
    fine = give_turn(rounds, last.items[i]);
    if (c && !c->over && !is_ahead(rounds, f->component))
      fine = fine && coro_vec_push(rounds->arena, &ready, f->component);
  }
  fine = fine && go_on(rounds, &ready) && reopen_callers(rounds, &last);
  for (uint32_t i = 0; i < made.count && fine; i++)
    fine = add(rounds, made.items[i], NO_COMPONENT) && give_turn(rounds, rounds->functions.count - 1);
  if (rounds->turn.count)
    qsort(rounds->turn.items, rounds->turn.count, sizeof *rounds->turn.items, compare_places);
  return fine;
}

coro_status waves_init(struct rounds *rounds, struct pass_run *run)
{
  *rounds = (struct rounds){.run = run, .arena = coro_arena_create()};
  if (!rounds->arena)
    return CORO_ENOMEM;
  coro_arena_set_budget(rounds->arena, &run->budget);
  return CORO_OK;
}

bool waves_is_small(const struct rounds *rounds, uint32_t count)
{
  return count <= rounds->functions.count / FEW_PART;
}

coro_status waves_next(struct rounds *rounds, bool *more)
{
  bool fine = rounds->count++ ? begin_next(rounds) : begin_first(rounds);
  *more = fine && rounds->turn.count && rounds->count <= rounds->most;
  rounds->whole = rounds->drive = false;
  rounds->few = rounds->count > 1 && waves_is_small(rounds, rounds->turn.count);
  rounds->last = LLVMGetLastFunction(rounds->run->module);
  return fine ? CORO_OK : CORO_ENOMEM;
}

bool waves_list(const struct rounds *rounds, struct coro_arena *arena, pass_values *list)
{
  bool fine = true;
  for (uint32_t i = 0; i < rounds->turn.count && fine; i++) {
    const struct wave_function *f = &rounds->functions.items[rounds->turn.items[i]];
    if (f->function && (f->picked || !rounds->narrow) && !LLVMIsDeclaration(f->function))
      fine = coro_vec_push(arena, list, f->function);
  }
  return fine && list_new(rounds, arena, list);
}

void waves_refresh(struct rounds *rounds)
{
  rounds->whole = true;
  for (uint32_t i = 0; i < rounds->functions.count; i++)
    rounds->functions.items[i].function = NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(rounds->run->module); f; f = LLVMGetNextFunction(f)) {
    struct wave_function *known = LLVMIsDeclaration(f) ? NULL : find(rounds, f);
    if (known)
      known->function = f;
  }
}

uint32_t waves_position(const struct rounds *rounds, LLVMValueRef function)
{
  const struct wave_function *f = find(rounds, function);
  return f ? (uint32_t)(f - rounds->functions.items) : NO_COMPONENT;
}

void waves_mark_deletable(struct rounds *rounds, const struct coro_map *deletable)
{
  uint64_t known;
  while (rounds->last && coro_map_get(deletable, coro_map_key(rounds->last), &known))
    rounds->last = LLVMGetPreviousFunction(rounds->last);
}

void waves_replace(struct rounds *rounds, uint32_t place, LLVMValueRef function)
{
  if (place != NO_COMPONENT)
    rounds->functions.items[place].function = function;
}

static bool is_in_turn(const struct rounds *rounds, const struct wave_function *f)
{
  return f->turn == WAVE_CURRENT && (f->picked || !rounds->narrow);
}

bool waves_contains(const struct rounds *rounds, LLVMValueRef function)
{
  const struct wave_function *f = find(rounds, function);
  return !f || is_in_turn(rounds, f);
}

bool waves_request_visit(struct rounds *rounds, LLVMValueRef function)
{
  struct wave_function *f = find(rounds, function);
  if (!f || (f->changes == MOST_CHANGES && !rounds->narrow))
    return false;
  f->changes += !rounds->narrow;
  f->again = true;
  f->drives |= rounds->narrow;
  rounds->drive |= rounds->narrow;
  rounds->in_vain = false;
  return true;
}

void waves_restrict(struct rounds *rounds)
{
  rounds->narrow = true;
}

static bool may_pick(const struct wave_function *f)
{
  return f && f->turn == WAVE_CURRENT && !f->optnone;
}

bool waves_may_select(const struct rounds *rounds, LLVMValueRef function)
{
  return may_pick(find(rounds, function));
}

bool waves_select(struct rounds *rounds, LLVMValueRef function)
{
  struct wave_function *f = find(rounds, function);
  bool picks = may_pick(f);
  if (picks)
    f->picked = true;
  return picks;
}

bool waves_select_requested(struct rounds *rounds)
{
  bool any = false;
  for (uint32_t i = 0; i < rounds->turn.count; i++) {
    struct wave_function *f = &rounds->functions.items[rounds->turn.items[i]];
    f->picked = f->again;
    f->again = false;
    any |= f->picked;
  }
  return any;
}

bool waves_was_requested(const struct rounds *rounds, LLVMValueRef function)
{
  const struct wave_function *f = rounds->drive ? find(rounds, function) : NULL;
  return f && f->drives;
}

void waves_unrestrict(struct rounds *rounds)
{
  (void)waves_select_requested(rounds);
  rounds->narrow = false;
}

/* Whether the function gets optnone: it is outside of the wave and has no optnone of its own. */
static bool is_shielded(const struct rounds *rounds, LLVMValueRef function)
{
  const struct wave_function *f = LLVMIsDeclaration(function) ? NULL : find(rounds, function);
  return f && !is_in_turn(rounds, f) && !f->optnone;
}

void waves_mask(const struct rounds *rounds)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(rounds->run->module); f; f = LLVMGetNextFunction(f))
    if (is_shielded(rounds, f))
      edit_add_attribute(f, on_function, "optnone");
}

void waves_unmask(const struct rounds *rounds)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(rounds->run->module); f; f = LLVMGetNextFunction(f))
    if (is_shielded(rounds, f))
      edit_remove_attribute(f, on_function, "optnone");
}

struct naming { /* memo by function: whether it is in the wave; whether it or a function that refers to it is */
  const struct rounds *rounds;
  struct coro_map in_turn, near;
};

static bool is_near(struct naming *n, LLVMValueRef function);

static bool knows_in_turn(struct naming *n, LLVMValueRef function)
{
  uint64_t known = 0, key = coro_map_key(function);
  if (!coro_map_get(&n->in_turn, key, &known))
    /* on memory exhaustion it is recomputed */
    (void)coro_map_put(&n->in_turn, key, known = waves_contains(n->rounds, function));
  return known;
}

/* Whether a function that refers to the value is in the wave or, with `near`, is referred to by one that is. */
static bool is_named(struct naming *n, LLVMValueRef value, bool near)
{
  bool named = false;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use && !named; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_is_instruction(user)) {
      named = LLVMIsAConstantExpr(user) && is_named(n, user, near); /* a constant expression; nesting is shallow */
      continue;
    }
    LLVMValueRef function = edit_function_of(user);
    named = near ? is_near(n, function) : knows_in_turn(n, function);
  }
  return named;
}

static bool is_near(struct naming *n, LLVMValueRef function)
{
  uint64_t known = 0, key = coro_map_key(function);
  if (!coro_map_get(&n->near, key, &known))
    (void)coro_map_put(&n->near, key, known = knows_in_turn(n, function) || is_named(n, function, false));
  return known;
}

bool waves_use_internal_variables(const struct rounds *rounds)
{
  struct coro_arena_mark mark = coro_arena_mark(rounds->arena);
  struct naming n = {.rounds = rounds};
  bool named = false;
  coro_map_init(&n.in_turn, rounds->arena);
  coro_map_init(&n.near, rounds->arena);
  for (LLVMValueRef g = LLVMGetFirstGlobal(rounds->run->module); g && !named; g = LLVMGetNextGlobal(g))
    named = edit_has_local_linkage(g) && !LLVMIsGlobalConstant(g) && is_named(&n, g, true);
  coro_arena_rewind(rounds->arena, mark);
  return named;
}

static bool is_unsettled(const struct coro_map *unsettled, LLVMValueRef function)
{
  uint64_t changed = 0;
  return coro_map_get(unsettled, coro_map_key(function), &changed) && changed;
}

bool waves_verify(const struct rounds *rounds, bool all)
{
  struct coro_map *unsettled = &rounds->run->unsettled;
  bool fine = true;
  for (uint32_t i = 0; i < rounds->turn.count && fine; i++) {
    LLVMValueRef function = rounds->functions.items[rounds->turn.items[i]].function;
    bool changed = function && is_unsettled(unsettled, function);
    if (changed || (all && function))
      fine = !LLVMVerifyFunction(function, LLVMReturnStatusAction);
    if (changed && fine)
      fine = coro_map_put(unsettled, coro_map_key(function), 0);
  }
  return fine;
}

void waves_free(struct rounds *rounds)
{
  coro_arena_free(rounds->arena);
  rounds->arena = NULL;
}
