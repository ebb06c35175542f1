/* Summaries of ramps of split coroutines: where the ramp stores the handle for its caller.
   Requires: callee.
   Guarantees: the functions are unchanged. */
#include "pass/ramp.h"

#include "ir/edit.h"
#include "pass/handle_walk.h"
#include "pass/imported_coroutines.h"
#include "pass/reachable_code.h"

enum { LOOKED_AT = 200 }; /* limit of inspected instructions of a callee: a ramp starts with its coro.id */

void ramps_init(struct ramps *ramps, struct callees *callees)
{
  *ramps = (struct ramps){.callees = callees};
  coro_map_init(&ramps->known, callees->run->arena);
}

static LLVMValueRef find_begin(struct pass_run *run, struct ramp *ramp)
{
  LLVMValueRef begin = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(ramp->id); use; use = LLVMGetNextUse(use)) {
    enum intrin intrin = intrin_of(run->intrin, LLVMGetUser(use));
    ramp->asks |= intrin == INTRIN_ALLOC;
    if (intrin == INTRIN_BEGIN && begin)
      return NULL;
    if (intrin == INTRIN_BEGIN)
      begin = LLVMGetUser(use);
  }
  return begin;
}

/* Whether some path returns before coro.begin; its result is not the handle. */
static bool returns_before(struct pass_run *run, LLVMValueRef function, bool given_frame, bool *returns)
{
  struct reach reach;
  reachable_init(&reach, run, function);
  reach.to_begin = true;
  reach.given_frame = given_frame;
  bool fine = reachable_from(&reach, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  *returns = reach.returns;
  return fine;
}

/* Whether some path returns after the coroutine has ended; its result may be anything. */
static bool returns_behind(struct pass_run *run, LLVMValueRef function, LLVMValueRef id, bool *returns)
{
  struct reach reach;
  reachable_init(&reach, run, function);
  bool fine = true;
  for (LLVMUseRef use = LLVMGetFirstUse(id); use && fine; use = LLVMGetNextUse(use))
    fine = intrin_of(run->intrin, LLVMGetUser(use)) != INTRIN_FREE || reachable_from(&reach, LLVMGetUser(use));
  *returns = reach.returns;
  return fine;
}

/* Records slots that hold the handle on return; on exceptional exits, or without coro.begin, they may hold it. */
static bool note_slots(struct pass_run *run, struct ramp *ramp, const struct walk *w, bool others)
{
  const struct trace *t = w->trace;
  for (uint16_t c = 0; c < t->cells.count; c++) {
    const struct cell *cell = &t->cells.items[c];
    LLVMValueRef base = cell->value ? NULL : t->objects.items[cell->object].base;
    enum holds holds = w->slots[c] == HOLDS_HANDLE && !others ? HOLDS_HANDLE : HOLDS_MAYBE;
    if (!base || !LLVMIsAArgument(base))
      continue;
    unsigned parameter = 0;
    bool kept = t->objects.items[cell->object].exposed;
    for (LLVMValueRef p = LLVMGetFirstParam(t->function); p != base; p = LLVMGetNextParam(p))
      parameter++;
    if (!coro_vec_push(run->arena, &ramp->slots, ((struct ramp_slot){parameter, cell->offset, holds, kept})))
      return false;
  }
  return true;
}

static bool describe(struct callees *callees, struct ramp *ramp, LLVMValueRef function, LLVMValueRef begin)
{
  struct pass_run *run = callees->run;
  struct trace t;
  struct places places;
  struct leaving leaving;
  uint16_t cell;
  bool before, others;
  handle_effects_trace(callees, run, &t, function);
  t.parts = &ramp->parts;
  t.takes_parameters = true;
  if (!trace_add_handle(&t, begin, &cell) ||
      !trace_add_event(
          &t,
          (struct trace_event){
              .at = begin, .kind = TRACE_SET, .cell = cell, .from = TRACE_NONE, .constant = HOLDS_HANDLE}) ||
      !trace_follow(&t) || !hook_site_number(&places, run->arena, function))
    return false;
  exceptional_exits_init(&leaving, run, function);
  struct walk w = {.trace = &t, .places = &places, .leaving = &leaving, .all = true, .steps = UINT64_MAX};
  if (!walk(&w, begin) || !returns_before(run, function, false, &before) ||
      !returns_before(run, function, true, &others) || !returns_behind(run, function, ramp->id, &ramp->ends) ||
      !note_slots(run, ramp, &w, others))
    return false;
  ramp->begins = !before;
  ramp->kept = w.kept || w.reason;
  ramp->thrown = w.thrown || w.reason;
  ramp->result = others && w.result == HOLDS_HANDLE ? HOLDS_MAYBE : w.result;
  ramp->field = w.field;
  return true;
}

static bool find_here(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp)
{
  struct pass_run *run = ramps->callees->run;
  struct parts parts;
  LLVMValueRef id = clones_own_id(run, function, function, LOOKED_AT, &parts);
  struct ramp *own = id ? CORO_NEW(run->arena, struct ramp) : NULL;
  if (!own)
    return !id;
  own->id = id;
  own->parts = parts;
  LLVMValueRef begin = find_begin(run, own);
  *ramp = begin ? own : NULL;
  return !begin || describe(ramps->callees, own, function, begin);
}

static bool find_apart(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp)
{
  struct pass_run *run = ramps->callees->run;
  struct ramp *own = is_imported_coroutine(function) ? CORO_NEW(run->arena, struct ramp) : NULL;
  if (own && imported_ramp(run, function, own))
    *ramp = own;
  return !coro_arena_failed(run->arena);
}

bool ramp_of(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp)
{
  uint64_t known;
  *ramp = NULL;
  if (!LLVMIsAFunction(function) || edit_is_presplit(function))
    return true;
  if (coro_map_get(&ramps->known, coro_map_key(function), &known)) {
    *ramp = (const struct ramp *)(uintptr_t)known;
    return true;
  }
  bool fine = LLVMIsDeclaration(function) ? find_apart(ramps, function, ramp) : find_here(ramps, function, ramp);
  return fine && coro_map_put(&ramps->known, coro_map_key(function), (uint64_t)(uintptr_t)*ramp);
}
