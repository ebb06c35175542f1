/* The walk: transfer functions of events and blocks, and the worklist of program points. */
#include "handles/handle_walk.h"

#include <stdlib.h>

#include "handles/handle_walk_internal.h"
#include "ir/edit.h"

bool positions_number_function(struct instruction_positions *positions, struct coro_arena *arena, LLVMValueRef function)
{
  uint64_t position = 0;
  *positions = (struct instruction_positions){.function = function};
  coro_map_init(&positions->of, arena);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      if (!coro_map_put(&positions->of, coro_map_key(i), ++position))
        return false;
      if (edit_is_call(i) && edit_call_or_callee_has_function_attribute(i, "returns_twice"))
        positions->returns_twice_call = i;
    }
  return true;
}

/* ---- Transfer function of a block ---- */

static void give_up_walk(struct walking *w, const char *reason, LLVMValueRef at)
{
  if (w->walk->reason)
    return;
  w->walk->reason = reason;
  w->walk->at = at;
}

/* Reports that the handle has escaped where the coroutine must have ended. */
static void give_up_at_escape_before_end(struct walking *w, const struct program_point *s, const char *then,
                                         LLVMValueRef at)
{
  const struct trace_event *e = s->escape_event ? &w->walk->trace->events.items[s->escape_event - 1] : NULL;
  const char *what = e ? e->what : w->walk->start_escape_reason;
  give_up_walk(w, coro_arena_printf(w->walk->trace->run->arena, "its handle %s, and %s", what ? what : "escapes", then),
               e ? e->at : at);
}

static void record_escape_on_path(struct walking *w, struct program_point *s, uint32_t event)
{
  w->walk->escapes = true;
  if (!(s->state & WALK_ESCAPED))
    s->escape_event = event + 1;
  s->state |= WALK_ESCAPED;
}

static void record_described_escape(struct walking *w, struct program_point *s, uint32_t event, const char *what)
{
  w->walk->trace->events.items[event].what = what;
  record_escape_on_path(w, s, event);
}

/* Whether an exception of this instruction leaves the function after the handle has escaped. */
static bool may_exit_exceptionally_after_escape(const struct walking *w, const struct program_point *s, LLVMValueRef at,
                                                bool resumes)
{
  const struct clones *clones = w->walk->trace->clones;
  if (!(s->state & WALK_ESCAPED) || !may_exit_exceptionally(w->walk->exits, at))
    return false;
  return !(resumes && clones && resume_never_exits_exceptionally(w->walk->exits, clones));
}

/* False: the handle is lost without a destroy. */
static bool record_exceptional_exit_or_stop(struct walking *w, const struct program_point *s, LLVMValueRef at)
{
  w->walk->escapes_on_unwind = true;
  if (!w->walk->all_paths)
    give_up_at_escape_before_end(w, s,
                                 may_exit_nonlocally(w->walk->exits->nonlocal, at)
                                     ? "a non-local exit may leave without destroying it"
                                     : "an exception may exit without destroying it",
                                 at);
  return w->walk->all_paths;
}

static bool scan_exceptional_exits(struct walking *w, struct program_point *s, LLVMValueRef from, LLVMValueRef end)
{
  if (!(s->state & WALK_ESCAPED) || w->walk->escapes_on_unwind ||
      !block_may_exit_exceptionally(w->walk->exits, s->block))
    return true;
  for (LLVMValueRef at = from; at && at != end; at = LLVMGetNextInstruction(at))
    if (may_exit_exceptionally_after_escape(w, s, at, false))
      return record_exceptional_exit_or_stop(w, s, at);
  return true;
}

static bool end_path_at_second_creation(struct walking *w, struct program_point *s, uint32_t event)
{
  const struct trace *t = w->walk->trace;
  uint64_t state = s->state;
  LLVMValueRef at = t->events.items[event].at;
  for (uint32_t i = event; i < t->events.count && t->events.items[i].at == at; i++)
    if (t->events.items[i].kind == TRACE_SET)
      state = state_with_content(state, t->events.items[i].cell, HOLDS_OTHER);
  bool held = state & WALK_ESCAPED || t->frame_address_in_phi;
  for (uint16_t c = 0; c < t->cells.count; c++)
    held |= holds_may_be_handle(state_get(state, c));
  if (held)
    give_up_walk(w, "it may be created again before it is destroyed", at);
  w->walk->leaves_undestroyed = true;
  return false;
}

/* Whether the event's cell may hold the handle. */
static bool may_hold_handle(const struct program_point *s, const struct trace_event *e)
{
  return e->cell == TRACE_EVERY_PATH || holds_may_be_handle(state_get(s->state, e->cell));
}

/* Applies one event, except assignments, to the state. False: the path ends here. */
static bool apply_event_to_state(struct walking *w, struct program_point *s, uint32_t index, bool *coroutine_ended)
{
  const struct trace_event *e = &w->walk->trace->events.items[index];
  bool held = may_hold_handle(s, e);
  switch (e->kind) {
  case TRACE_MUSTTAIL:
    if (held && !w->walk->all_paths)
      give_up_walk(w, "its handle is an argument of a musttail call, which ends the caller's stack frame", e->at);
    return !w->walk->reason;
  case TRACE_ESCAPE:
    if (held)
      record_escape_on_path(w, s, index);
    return true;
  case TRACE_RESUME:
    w->walk->resumes |= held;
    if (held && !w->walk->all_paths && !w->walk->resume_keeps_frame_private)
      record_described_escape(w, s, index, "is available to the coroutine itself, which may let it escape");
    return true;
  case TRACE_RETURN:
    if (held && !w->walk->all_paths)
      record_described_escape(w, s, index, "is returned");
    s->result = state_get(s->state, e->cell);
    s->field = e->field;
    return true;
  case TRACE_END:
    if (e->cell == TRACE_EVERY_PATH || state_get(s->state, e->cell) != HOLDS_HANDLE ||
        walk_is_slot_of_exposed_object(w, e->cell))
      return true;
    *coroutine_ended = true;
    if (e->may_throw_first && may_exit_exceptionally_after_escape(w, s, e->at, false))
      (void)record_exceptional_exit_or_stop(w, s, e->at);
    return e->may_throw_first && LLVMGetInstructionOpcode(e->at) == LLVMInvoke;
  case TRACE_CREATE: return end_path_at_second_creation(w, s, index);
  default: return true;
  }
}

/* Whether the instruction resumes this coroutine and has no other effect. */
static bool only_resumes_this_coroutine(const struct program_point *s, const struct trace_event *e)
{
  return e->kind == TRACE_RESUME && !e->has_other_effects && e->cell != TRACE_EVERY_PATH &&
         state_get(s->state, e->cell) == HOLDS_HANDLE;
}

/* A coroutine resumed by a suspended caller may resume the caller, which then continues before the coroutine has
   reached its own suspend. On the unwind edge the caller has not continued. */
static void record_escape_if_caller_may_reenter(struct walking *w, const struct program_point *was,
                                                struct program_point *s, uint32_t index)
{
  const struct trace_event *e = &w->walk->trace->events.items[index];
  if (e->kind == TRACE_RESUME && may_hold_handle(was, e) && w->walk->after_save &&
      reachable_contains(w->walk->after_save, e->at))
    record_described_escape(w, s, index,
                            "is resumed by its caller after the caller has suspended, so the caller may continue "
                            "before the coroutine suspends");
}

/* Applies all events of one instruction; *next is the first event after it. `unwound` is the state on the unwind
   edge. */
static bool apply_events_of_instruction(struct walking *w, struct program_point *s, uint32_t first, uint32_t *next,
                                        struct program_point *unwound, bool *ended)
{
  struct trace *t = w->walk->trace;
  LLVMValueRef at = t->events.items[first].at;
  bool resumes = false;
  uint32_t i = first;
  for (; i < t->events.count && t->events.items[i].at == at && t->events.items[i].kind < TRACE_SET; i++) {
    resumes |= only_resumes_this_coroutine(s, &t->events.items[i]);
    if (!apply_event_to_state(w, s, i, ended))
      return false;
  }
  const struct program_point was = *s;
  *unwound = was;
  *next = i < t->events.count && t->events.items[i].at == at ? apply_assignments_of_instruction(w, s, unwound, i) : i;
  if (may_exit_exceptionally_after_escape(w, s, at, resumes))
    return record_exceptional_exit_or_stop(w, s, at);
  for (uint32_t e = first; e < i; e++)
    record_escape_if_caller_may_reenter(w, &was, s, e);
  return true;
}

static bool apply_block_events(struct walking *w, struct program_point *s, struct program_point *unwound, bool *ended)
{
  const struct trace *t = w->walk->trace;
  uint64_t from = 0, first = 0;
  LLVMValueRef cursor = s->from ? LLVMGetNextInstruction(s->from) : LLVMGetFirstInstruction(s->block);
  if (s->from)
    coro_map_get(&w->walk->positions->of, coro_map_key(s->from), &from);
  *unwound = *s;
  if (!coro_map_get(&w->first_event, coro_map_key(s->block), &first))
    return scan_exceptional_exits(w, s, cursor, NULL);
  for (uint32_t i = (uint32_t)first;
       i < t->events.count && LLVMGetInstructionParent(t->events.items[i].at) == s->block;) {
    LLVMValueRef at = t->events.items[i].at;
    if (t->events.items[i].position <= from) {
      i++;
      continue;
    }
    if (!scan_exceptional_exits(w, s, cursor, at) || !apply_events_of_instruction(w, s, i, &i, unwound, ended))
      return false;
    if (*ended && LLVMGetInstructionOpcode(at) != LLVMInvoke)
      return false;
    cursor = LLVMGetNextInstruction(at);
  }
  return scan_exceptional_exits(w, s, cursor, NULL);
}

/* ---- Control flow ---- */

static void record_return(struct walking *w, const struct program_point *s)
{
  struct handle_walk *walk = w->walk;
  for (uint16_t c = 0; c < walk->trace->cells.count; c++) {
    enum holds holds = state_get(s->state, c);
    walk->cells_on_return[c] = walk->returns ? holds_join(walk->cells_on_return[c], holds) : holds;
  }
  bool other = walk->returns && s->result != HOLDS_OTHER && walk->result != HOLDS_OTHER && walk->field != s->field;
  walk->result = other ? HOLDS_MAYBE : walk->returns ? holds_join(walk->result, s->result) : s->result;
  walk->escapes |= other; /* summaries describe one field only */
  if (s->result != HOLDS_OTHER)
    walk->field = s->field;
  walk->returns = true;
}

static void record_exit_of_function(struct walking *w, const struct program_point *s, LLVMValueRef terminator)
{
  bool returns = LLVMGetInstructionOpcode(terminator) == LLVMRet;
  if (LLVMGetInstructionOpcode(terminator) == LLVMUnreachable)
    return;
  if (returns)
    record_return(w, s);
  w->walk->leaves_undestroyed = true;
  if (!(s->state & WALK_ESCAPED))
    return;
  if (!returns)
    (void)record_exceptional_exit_or_stop(w, s, terminator);
  else if (!w->walk->all_paths)
    give_up_at_escape_before_end(w, s, "a path to a return does not destroy it", terminator);
}

static bool walk_block_in_state(struct walking *w, struct program_point s)
{
  struct program_point unwound;
  bool ended = false;
  if (!w->walk->steps) {
    give_up_walk(w, "the analysis exceeds its limit of steps", LLVMGetBasicBlockTerminator(s.block));
    return true;
  }
  w->walk->steps--;
  if (!apply_block_events(w, &s, &unwound, &ended))
    return !coro_arena_failed(w->walk->trace->run->arena);
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(s.block);
  if (LLVMGetNumSuccessors(terminator) == 0) {
    record_exit_of_function(w, &s, terminator);
    return true;
  }
  return walk_successors(w, terminator, &s, &unwound, ended);
}

/* A copy to a cell follows a write to it. */
static int compare_event_order(const void *a, const void *b)
{
  const struct trace_event *x = a, *y = b;
  bool copies_x = x->from != TRACE_NO_CELL, copies_y = y->from != TRACE_NO_CELL;
  if (x->position != y->position)
    return x->position < y->position ? -1 : 1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  if (x->kind == TRACE_SET && copies_x != copies_y)
    return copies_y ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

/* Sorts events in program order and indexes them by block. */
static bool sort_and_index_events(struct walking *w)
{
  struct trace *t = w->walk->trace;
  for (uint32_t i = 0; i < t->events.count; i++) {
    uint64_t position = 0;
    coro_map_get(&w->walk->positions->of, coro_map_key(t->events.items[i].at), &position);
    t->events.items[i].position = (uint32_t)position;
  }
  if (t->events.count)
    qsort(t->events.items, t->events.count, sizeof *t->events.items, compare_event_order);
  for (uint32_t i = t->events.count; i-- > 0;)
    if (!coro_map_put(&w->first_event, coro_map_key(LLVMGetInstructionParent(t->events.items[i].at)), i))
      return false;
  return true;
}

/* Whether some memory may hold the handle. */
static bool may_be_in_memory(const struct trace *t, uint64_t state)
{
  bool held = false;
  for (uint16_t c = 0; c < t->cells.count; c++)
    held |= !t->cells.items[c].value && holds_may_be_handle(state_get(state, c));
  return held;
}

/* The state after the creation site, with its cells set. On its unwind edge there is no coroutine, unless the handle
   has escaped or may be in memory. */
static bool start_walk(struct walking *w, LLVMValueRef start)
{
  struct trace *t = w->walk->trace;
  struct program_point s = {.block = start ? LLVMGetInstructionParent(start) : LLVMGetEntryBasicBlock(t->function),
                            .from = start,
                            .state = (w->walk->start_escape_reason ? WALK_ESCAPED : 0) | w->walk->entry_state,
                            .field = TRACE_WHOLE_VALUE};
  struct program_point unwound = s;
  if (!w->walk->start_escapes_on_unwind)
    unwound.state &= ~WALK_ESCAPED;
  w->walk->escapes |= w->walk->start_escape_reason != NULL;
  uint32_t first = 0;
  while (start && first < t->events.count &&
         (t->events.items[first].at != start || t->events.items[first].kind != TRACE_SET))
    first++;
  if (start && first < t->events.count)
    (void)apply_assignments_of_instruction(w, &s, &unwound, first);
  bool known = unwound.state & WALK_ESCAPED, invokes = start && LLVMIsAInvokeInst(start);
  if (start && known && may_exit_exceptionally_after_escape(w, &unwound, start, false) &&
      !record_exceptional_exit_or_stop(w, &unwound, start))
    return true;
  if (invokes && (known || may_be_in_memory(t, unwound.state)) &&
      !walk_push_successor_if_new(w, s.block, LLVMGetUnwindDest(start), &unwound))
    return false;
  return invokes ? walk_push_successor_if_new(w, s.block, LLVMGetNormalDest(start), &s) : walk_block_in_state(w, s);
}

bool walk_handle(struct handle_walk *walk, LLVMValueRef start)
{
  struct coro_arena *arena = walk->trace->run->arena;
  struct walking w = {.walk = walk};
  walk->reason = NULL;
  walk->field = TRACE_WHOLE_VALUE;
  coro_map_init(&w.first_event, arena);
  coro_map_init(&w.seen, arena);
  coro_map_init(&w.last_phi_cell, arena);
  coro_map_init(&w.incoming, arena);
  walk->cells_on_return = CORO_NEW_ARRAY(arena, enum holds, TRACE_CELLS);
  if (walk->positions->returns_twice_call)
    give_up_walk(&w, "the function has a call that may return twice, such as setjmp",
                 walk->positions->returns_twice_call);
  bool fine = walk->cells_on_return && sort_and_index_events(&w) && walk_find_phis(&w) &&
              (walk->reason || start_walk(&w, start));
  while (fine && w.stack.count && !walk->reason)
    fine = walk_block_in_state(&w, w.stack.items[--w.stack.count]);
  return fine && !coro_arena_failed(arena);
}
