/* Decides for each coroutine that a function creates whether its frame can be on the function's stack: whether the
   coroutine has ended, or its handle is unreachable, before the function exits and before it is created again. */
#include "elide/elision_candidate.h"

#include "elide/elision_report.h"
#include "handles/elided_frame.h"
#include "handles/imported_coroutines.h"
#include "handles/noalloc.h"
#include "ir/edit.h"
#include "transform/tailcall.h"

bool elision_search_init(struct elision_search *s, struct pass_run *run, LLVMValueRef function)
{
  *s = (struct elision_search){.run = run, .function = function, .scratch = *run};
  s->scratch.arena = coro_arena_create();
  if (!s->scratch.arena)
    return false;
  coro_arena_set_budget(s->scratch.arena, &run->budget);
  s->empty_mark = coro_arena_mark(s->scratch.arena);
  handle_effects_init(&s->effects, run);
  ramps_init(&s->ramps, &s->effects);
  exceptional_exits_init(&s->exits, run, function);
  coro_map_init(&s->private_frames, run->arena);
  return true;
}

void elision_search_free(struct elision_search *s)
{
  coro_arena_free(s->scratch.arena);
}

static void reset_scratch_and_init_trace(struct elision_search *s, struct trace *t, const struct clones *clones)
{
  coro_arena_rewind(s->scratch.arena, s->empty_mark);
  handle_effects_init_trace(&s->effects, &s->scratch, t, s->function);
  t->clones = clones;
}

static bool add_coroutine_start_event(struct trace *t, LLVMValueRef at)
{
  return trace_add_event(t, (struct trace_event){.at = at, .kind = TRACE_CREATE, .cell = TRACE_EVERY_PATH});
}

static bool add_cell_assignment_event(struct trace *t, LLVMValueRef at, uint16_t cell, enum holds holds)
{
  return trace_add_event(
      t, (struct trace_event){.at = at, .kind = TRACE_SET, .cell = cell, .from = TRACE_NO_CELL, .constant = holds});
}

/* Finds a call that may destroy this coroutine or another one, because its operand is none of the handles; NULL: none.
   If the frame of this one were elided, the call would need the cleanup clone for it and the destroy clone for others.
   */
static LLVMValueRef find_destroy_of_other_coroutine(const struct trace *t, const pass_values *handles)
{
  for (uint32_t i = 0; i < t->destroys.count; i++) {
    bool own = false;
    for (uint32_t f = 0; f < handles->count; f++)
      own |= LLVMGetOperand(t->destroys.items[i], CLONE_PARAMETER_FRAME) == handles->items[f];
    if (!own)
      return t->destroys.items[i];
  }
  return NULL;
}

static bool mark_code_after_suspend_or_free(struct elision_search *s, LLVMValueRef at)
{
  switch (intrin_of_call(s->run->intrin, at)) {
  case INTRIN_SUSPEND: {
    LLVMValueRef save = LLVMGetOperand(at, SUSPEND_SAVE);
    return reachable_add_when_suspending(&s->suspending, at) &&
           (intrin_of_call(s->run->intrin, save) != INTRIN_SAVE ||
            reachable_add_strictly_between(&s->suspended, save, at));
  }
  case INTRIN_FREE:
    return !clones_is_id_of_function(s->run, s->function, LLVMGetOperand(at, FREE_ID)) ||
           reachable_add_from(&s->after_free, LLVMGetNextInstruction(at));
  default: return true;
  }
}

static bool find_code_after_suspends_and_frees(struct elision_search *s)
{
  if (s->positions.function)
    return true;
  bool fine = positions_number_function(&s->positions, s->run->arena, s->function);
  reachable_init(&s->before_frame, s->run, s->function);
  reachable_init(&s->suspended, s->run, s->function);
  reachable_init(&s->suspending, s->run, s->function);
  reachable_init(&s->after_free, s->run, s->function);
  s->before_frame.stops_at_begin = true;
  if (!edit_is_presplit_definition(s->function))
    return fine;
  LLVMBasicBlockRef b = LLVMGetEntryBasicBlock(s->function);
  for (fine = fine && reachable_add_from(&s->before_frame, LLVMGetFirstInstruction(b)); b && fine;
       b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at && fine; at = LLVMGetNextInstruction(at))
      fine = mark_code_after_suspend_or_free(s, at);
  return fine;
}

/* Finds a use at which the frame of the caller, itself a coroutine, does not exist yet or may be freed. Returns the
   reason, and the use in *at; NULL: there is none. The walk does not visit the exit paths after suspends. */
static const char *find_use_without_caller_frame(const struct elision_search *s, const struct trace *t,
                                                 const pass_values *from, LLVMValueRef *at)
{
  for (uint32_t i = 0; i < from->count; i++) {
    *at = from->items[i];
    if (reachable_contains(&s->before_frame, *at))
      return "it is created before its caller's frame exists";
    if (reachable_contains(&s->suspended, *at))
      return "it is created by its caller after the caller has suspended, so the caller may continue before the "
             "creation ends";
  }
  for (uint32_t e = 0; e < t->events.count; e++) {
    *at = t->events.items[e].at;
    if (reachable_contains(&s->suspending, *at))
      return "its handle is used on a path on which its caller suspends";
    if (t->events.items[e].kind == TRACE_END && reachable_contains(&s->suspended, *at))
      return "it is destroyed by its caller after the caller has suspended, so the caller may continue before the "
             "destruction ends";
  }
  *at = trace_find_use_among(t, &s->after_free.found);
  return *at ? "it is used after its caller's frame is freed" : NULL;
}

/* A use of the coroutine after the save of a suspend of its caller, or on the path from a suspend to the exit: another
   thread may already have freed the caller's frame there. NULL: none. */
static LLVMValueRef find_use_after_caller_suspends(const struct elision_search *s, const struct trace *t)
{
  LLVMValueRef used = trace_find_use_among(t, &s->suspended.found);
  return used ? used : trace_find_use_among(t, &s->suspending.found);
}

static bool find_private_frame(struct elision_search *s, struct trace *t, bool *private_frame)
{
  uint64_t resume = t->clones->imported ? 0 : coro_map_key(t->clones->address[CLONE_SLOT_RESUME]), known = 0;
  if (resume && coro_map_get(&s->private_frames, resume, &known)) {
    *private_frame = known;
    return true;
  }
  return check_resume_keeps_frame_private(t, t->clones, private_frame) &&
         (!resume || coro_map_put(&s->private_frames, resume, *private_frame));
}

/* Walks from each creation site to the function's exits. */
static bool decide_creation_sites(struct elision_search *s, struct trace *t, const pass_values *from,
                                  const char *escape_reason, bool escapes_on_unwind, struct verdict *verdict)
{
  bool abandoned = false;
  struct handle_walk w = {.trace = t,
                          .positions = &s->positions,
                          .exits = &s->exits,
                          .after_save = &s->suspended,
                          .start_escape_reason = escape_reason,
                          .start_escapes_on_unwind = escapes_on_unwind,
                          .steps = UINT64_MAX};
  if (!find_private_frame(s, t, &w.resume_keeps_frame_private) || !find_code_after_suspends_and_frees(s))
    return false;
  w.reason = find_use_without_caller_frame(s, t, from, &w.at);
  *verdict = (struct verdict){.at = from->items[0], .done = true, .destroys = t->destroys};
  for (uint32_t i = 0; i < from->count && !w.reason; i++) {
    if (!walk_handle(&w, from->items[i]))
      return false;
    abandoned |= w.leaves_undestroyed;
  }
  LLVMValueRef used = w.reason || !abandoned ? NULL : find_use_after_caller_suspends(s, t);
  if (used) {
    w.reason = "its caller uses it after suspending, when the caller's frame may be freed without destroying it";
    w.at = used;
  }
  LLVMValueRef shared = w.reason ? NULL : find_destroy_of_other_coroutine(t, from);
  if (shared) {
    w.reason = "a call that destroys it may also destroy a coroutine on the heap";
    w.at = shared;
  }
  verdict->done = !w.reason;
  verdict->at = w.reason ? w.at : verdict->at;
  verdict->reason = w.reason    ? w.reason
                    : abandoned ? "its handle is unreachable where it is not destroyed"
                                : "every path from its creation destroys it";
  return true;
}

bool decide_inlined_ramp(struct elision_search *s, const struct clones *clones, const pass_values *begins,
                         const pass_values *frees, struct verdict *verdict)
{
  struct trace t;
  uint16_t cell = TRACE_NO_CELL;
  reset_scratch_and_init_trace(s, &t, clones);
  for (uint32_t i = 0; i < begins->count; i++) {
    if (!trace_add_handle_if_room(&t, begins->items[i], &cell))
      return false;
    if (cell == TRACE_NO_CELL) {
      *verdict = (struct verdict){.reason = "it has too many calls of llvm.coro.begin", .at = begins->items[i]};
      return true;
    }
    if (!add_coroutine_start_event(&t, begins->items[i]) ||
        !add_cell_assignment_event(&t, begins->items[i], cell, HOLDS_HANDLE))
      return false;
    for (uint32_t f = 0; f < frees->count; f++)
      if (!trace_add_event(&t, (struct trace_event){.at = frees->items[f], .kind = TRACE_END, .cell = cell}))
        return false;
  }
  return trace_follow_all_uses(&t) && decide_creation_sites(s, &t, begins, NULL, false, verdict);
}

/* Adds the values and slots that receive the handle as roots. *escape_reason: a description if it also escapes. */
static bool add_ramp_roots(struct trace *t, const struct ramp *ramp, LLVMValueRef call, const char **escape_reason)
{
  uint16_t cell = TRACE_NO_CELL;
  if (ramp->result != HOLDS_OTHER) {
    bool fine = ramp->field == TRACE_WHOLE_VALUE ? trace_add_handle_if_room(t, call, &cell)
                                                 : trace_add_aggregate_member_if_room(t, call, ramp->field, &cell);
    if (!fine || !add_cell_assignment_event(t, call, cell, ramp->result))
      return false;
  }
  for (uint32_t i = 0; i < ramp->slots.count; i++) {
    const struct ramp_slot *slot = &ramp->slots.items[i];
    if (!trace_add_slot(t, LLVMGetOperand(call, slot->parameter), slot->offset, &cell))
      return false;
    if (cell == TRACE_NO_CELL)
      *escape_reason = "is stored in memory that escapes";
    else if (slot->parameter < 64) {
      t->ramp_call_stores |= UINT64_C(1) << slot->parameter;
      t->ramp_call_exposes |= (uint64_t)slot->exposed << slot->parameter;
    }
    if (cell != TRACE_NO_CELL && !add_cell_assignment_event(t, call, cell, slot->holds))
      return false;
  }
  return true;
}

static bool decide_ramp_call(struct elision_search *s, const struct ramp *ramp, LLVMValueRef call,
                             struct verdict *verdict)
{
  struct trace t;
  const char *escape_reason = ramp->escapes ? "escapes before its ramp returns" : NULL;
  pass_values from = {&call, 1, 1};
  reset_scratch_and_init_trace(s, &t, &ramp->clones);
  t.ramp_call = call;
  return add_coroutine_start_event(&t, call) && add_ramp_roots(&t, ramp, call, &escape_reason) &&
         trace_follow_all_uses(&t) &&
         decide_creation_sites(s, &t, &from, escape_reason, ramp->escapes_on_unwind, verdict);
}

/* ---- Calls of ramps ---- */

void elide_replace_destroys(const struct verdict *verdict, const struct clones *clones)
{
  for (uint32_t i = 0; i < verdict->destroys.count; i++)
    edit_set_called_function(verdict->destroys.items[i], clones->address[CLONE_SLOT_CLEANUP]);
}

void elide_check_frame_limit(const struct elision_search *search, const struct clones *clones, struct verdict *verdict)
{
  const char *excess = verdict->done ? elided_frame_limit_excess_reason(search->run, clones, search->function) : NULL;
  verdict->done &= !excess;
  verdict->reason = excess ? excess : verdict->reason;
}

static bool call_has_type_and_convention_of_ramp(const struct ramp *ramp, LLVMValueRef call)
{
  LLVMValueRef coroutine = ramp->clones.coroutine;
  return LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(coroutine) &&
         LLVMGetInstructionCallConv(call) == LLVMGetFunctionCallConv(coroutine);
}

/* The obstacle to passing a frame to the ramp by this call; NULL: none. */
static const char *obstacle_to_noalloc_call_or_null(struct pass_run *run, const struct ramp *ramp, LLVMValueRef call)
{
  struct clones clones;
  if (!ramp->uses_coro_alloc)
    return "its ramp does not call llvm.coro.alloc: allocate the frame only if that returns true";
  if (!ramp->clones.frame_size)
    return "its frame size is unknown";
  if (!call_has_type_and_convention_of_ramp(ramp, call))
    return "the type of the call differs from the type of its definition";
  if (tailcall_is_musttail(call))
    return "the call is a musttail call";
  if (ramp->clones.imported)
    return ramp->unknown_reason;
  if (!noalloc_of_id(run, ramp->id, &clones) && !noalloc_can_be_created(ramp->id, &ramp->clones))
    return "its ramp cannot be cloned, or may be replaced by the linker";
  return NULL;
}

/* Devirtualizes uses of the handle that the call returns, if the linker cannot replace the ramp. */
static bool devirtualize_handle(struct elision_search *s, const struct ramp *ramp, LLVMValueRef call, bool elided,
                                bool *changed)
{
  pass_values addresses = {0};
  bool own = elided || (ramp->always_begins && edit_has_exact_definition(ramp->clones.coroutine));
  if (!own || ramp->may_end || ramp->clones.imported || ramp->result != HOLDS_HANDLE ||
      ramp->field != TRACE_WHOLE_VALUE)
    return true;
  for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use))
    if (intrin_of_call(s->run->intrin, LLVMGetUser(use)) == INTRIN_SUBFN_ADDR &&
        !coro_vec_push(s->run->arena, &addresses, LLVMGetUser(use)))
      return false;
  for (uint32_t i = 0; i < addresses.count; i++) {
    uint64_t slot;
    if (!edit_read_integer_constant(LLVMGetOperand(addresses.items[i], SUBFN_INDEX), &slot) ||
        slot > CLONE_SLOT_DESTROY)
      continue;
    edit_replace_address_and_locate_its_calls(
        addresses.items[i], ramp->clones.address[slot == CLONE_SLOT_DESTROY && elided ? CLONE_SLOT_CLEANUP : slot]);
    *changed = true;
  }
  return true;
}

static LLVMValueRef find_or_create_noalloc_variant(struct pass_run *run, const struct ramp *ramp, struct clones *clones)
{
  LLVMValueRef named = ramp->clones.imported ? NULL : noalloc_of_id(run, ramp->id, clones);
  if (named)
    return named;
  *clones = ramp->clones;
  return ramp->clones.imported ? imported_noalloc_declare_with_summary(run, ramp)
                               : noalloc_create_and_add_to_clone_array(run, ramp->id, &ramp->clones);
}

static bool replace_by_noalloc_call(struct elision_search *s, const struct ramp *ramp, const struct verdict *verdict,
                                    LLVMValueRef *call)
{
  struct clones clones;
  uint64_t position = 0;
  LLVMValueRef noalloc = find_or_create_noalloc_variant(s->run, ramp, &clones), own;
  coro_map_get(&s->positions.of, coro_map_key(*call), &position);
  elide_replace_destroys(verdict, &ramp->clones);
  if (!noalloc || !elide_ramp_call_by_noalloc_call(s->run, *call, noalloc, &clones, &own) ||
      (position && !coro_map_put(&s->positions.of, coro_map_key(own), position)))
    return false;
  *call = own;
  return true;
}

bool elide_ramp_call_if_possible(struct elision_search *s, LLVMValueRef call, bool *changed)
{
  const struct ramp *ramp;
  if (!find_summary_of_ramp(&s->ramps, LLVMGetCalledValue(call), &ramp))
    return false;
  if (!ramp || ramp->clones.coroutine == s->function)
    return true;
  struct verdict verdict = {.reason = obstacle_to_noalloc_call_or_null(s->run, ramp, call), .at = call};
  if (!verdict.reason && !decide_ramp_call(s, ramp, call, &verdict))
    return false;
  elide_check_frame_limit(s, &ramp->clones, &verdict);
  struct elision_decision decision = {.pass = "coro-elide",
                                      .name = "CoroElide",
                                      .caller = s->function,
                                      .clones = &ramp->clones,
                                      .creation = call,
                                      .at = verdict.at,
                                      .reason = verdict.reason,
                                      .done = verdict.done};
  if (!elision_report(s->run, &decision))
    return false;
  if (verdict.done && !replace_by_noalloc_call(s, ramp, &verdict, &call))
    return false;
  *changed |= verdict.done;
  s->elided |= verdict.done;
  return devirtualize_handle(s, ramp, call, verdict.done, changed);
}
