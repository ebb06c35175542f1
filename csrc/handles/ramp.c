/* Ramps defined in this module are traced and walked from coro.begin, imported ones decoded from attributes. */
#include "handles/ramp.h"

#include "handles/handle_walk.h"
#include "handles/imported_coroutines.h"
#include "handles/reachable_code.h"
#include "ir/edit.h"

enum { MAX_INSTRUCTIONS = 200 }; /* limit of inspected instructions of a callee: a ramp starts with its coro.id */

void ramps_init(struct ramps *ramps, struct handle_effects *effects)
{
  *ramps = (struct ramps){.effects = effects};
  coro_map_init(&ramps->known, effects->run->arena);
}

static LLVMValueRef find_only_coro_begin_of_ramp(struct pass_run *run, struct ramp *ramp)
{
  LLVMValueRef begin = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(ramp->id); use; use = LLVMGetNextUse(use)) {
    enum intrin intrin = intrin_of_call(run->intrin, LLVMGetUser(use));
    ramp->uses_coro_alloc |= intrin == INTRIN_ALLOC;
    if (intrin == INTRIN_BEGIN && begin)
      return NULL;
    if (intrin == INTRIN_BEGIN)
      begin = LLVMGetUser(use);
  }
  return begin;
}

/* Whether some path returns before coro.begin; its result is not the handle. */
static bool check_may_return_before_begin(struct pass_run *run, LLVMValueRef function, bool given_frame, bool *returns)
{
  struct reachable reach;
  reachable_init(&reach, run, function);
  reach.stops_at_begin = true;
  reach.assumes_given_frame = given_frame;
  bool fine = reachable_add_from(&reach, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  *returns = reach.returns;
  return fine;
}

/* Whether some path returns after the coroutine has ended; its result may be anything. */
static bool check_may_return_after_end(struct pass_run *run, LLVMValueRef function, LLVMValueRef id, bool *returns)
{
  struct reachable reach;
  reachable_init(&reach, run, function);
  bool fine = true;
  for (LLVMUseRef use = LLVMGetFirstUse(id); use && fine; use = LLVMGetNextUse(use))
    fine = intrin_of_call(run->intrin, LLVMGetUser(use)) != INTRIN_FREE || reachable_add_from(&reach, LLVMGetUser(use));
  *returns = reach.returns;
  return fine;
}

/* Records slots that hold the handle on return; on exceptional exits, or without coro.begin, they may hold it. */
static bool add_parameter_slots(struct pass_run *run, struct ramp *ramp, const struct handle_walk *w,
                                bool may_return_without_handle)
{
  const struct trace *t = w->trace;
  for (uint16_t c = 0; c < t->cells.count; c++) {
    const struct trace_cell *cell = &t->cells.items[c];
    LLVMValueRef base = cell->value ? NULL : t->objects.items[cell->object].base;
    enum holds holds = w->cells_on_return[c] == HOLDS_HANDLE && !may_return_without_handle ? HOLDS_HANDLE : HOLDS_MAYBE;
    if (!base || !LLVMIsAArgument(base))
      continue;
    struct ramp_slot slot = {edit_parameter_index(base), cell->offset, holds, t->objects.items[cell->object].exposed};
    if (!coro_vec_push(run->arena, &ramp->slots, slot))
      return false;
  }
  return true;
}

static bool summarize_ramp(struct handle_effects *effects, struct ramp *ramp, LLVMValueRef function, LLVMValueRef begin)
{
  struct pass_run *run = effects->run;
  struct trace t;
  struct instruction_positions positions;
  struct exceptional_exits exits;
  uint16_t cell;
  bool before, others;
  handle_effects_init_trace(effects, run, &t, function);
  t.clones = &ramp->clones;
  t.tracks_parameter_memory = true;
  if (!trace_add_handle_if_room(&t, begin, &cell) ||
      !trace_add_event(
          &t,
          (struct trace_event){
              .at = begin, .kind = TRACE_SET, .cell = cell, .from = TRACE_NO_CELL, .constant = HOLDS_HANDLE}) ||
      !trace_follow_all_uses(&t) || !positions_number_function(&positions, run->arena, function))
    return false;
  exceptional_exits_init(&exits, run, function);
  struct handle_walk w = {
      .trace = &t, .positions = &positions, .exits = &exits, .all_paths = true, .steps = UINT64_MAX};
  if (!walk_handle(&w, begin) || !check_may_return_before_begin(run, function, false, &before) ||
      !check_may_return_before_begin(run, function, true, &others) ||
      !check_may_return_after_end(run, function, ramp->id, &ramp->may_end) ||
      !add_parameter_slots(run, ramp, &w, others))
    return false;
  ramp->always_begins = !before;
  ramp->escapes = w.escapes || w.reason;
  ramp->escapes_on_unwind = w.escapes_on_unwind || w.reason;
  ramp->result = others && w.result == HOLDS_HANDLE ? HOLDS_MAYBE : w.result;
  ramp->field = w.field;
  return true;
}

static bool summarize_defined_ramp(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp)
{
  struct pass_run *run = ramps->effects->run;
  struct clones clones;
  LLVMValueRef id = clones_find_id(run, function, function, MAX_INSTRUCTIONS, &clones);
  struct ramp *own = id ? CORO_NEW(run->arena, struct ramp) : NULL;
  if (!own)
    return !id;
  own->id = id;
  own->clones = clones;
  LLVMValueRef begin = find_only_coro_begin_of_ramp(run, own);
  *ramp = begin ? own : NULL;
  return !begin || summarize_ramp(ramps->effects, own, function, begin);
}

static bool summarize_imported_ramp(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp)
{
  struct pass_run *run = ramps->effects->run;
  struct ramp *own = is_imported_coroutine(function) ? CORO_NEW(run->arena, struct ramp) : NULL;
  if (own && imported_ramp_summarize_if_frame_known(run, function, own))
    *ramp = own;
  return !coro_arena_failed(run->arena);
}

bool find_summary_of_ramp(struct ramps *ramps, LLVMValueRef function, const struct ramp **ramp)
{
  uint64_t known;
  *ramp = NULL;
  if (!LLVMIsAFunction(function) || edit_is_presplit_definition(function))
    return true;
  if (coro_map_get(&ramps->known, coro_map_key(function), &known)) {
    *ramp = (const struct ramp *)(uintptr_t)known;
    return true;
  }
  bool fine = LLVMIsDeclaration(function) ? summarize_imported_ramp(ramps, function, ramp)
                                          : summarize_defined_ramp(ramps, function, ramp);
  return fine && coro_map_put(&ramps->known, coro_map_key(function), (uint64_t)(uintptr_t)*ramp);
}
