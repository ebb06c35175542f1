/* Elision candidates of one function: whether a coroutine has ended, or its handle is unreachable, before the function
   exits and before it is created again.
   Requires: ramp, walk.
   Guarantees: the function is unchanged. */
#include "pass/elision_candidate.h"

#include "ir/edit.h"

bool elision_search_init(struct starts *s, struct pass_run *run, LLVMValueRef function)
{
  *s = (struct starts){.run = run, .function = function, .scratch = *run};
  s->scratch.arena = coro_arena_create();
  if (!s->scratch.arena)
    return false;
  coro_arena_set_budget(s->scratch.arena, &run->budget);
  s->empty = coro_arena_mark(s->scratch.arena);
  handle_effects_init(&s->callees, run);
  ramps_init(&s->ramps, &s->callees);
  exceptional_exits_init(&s->leaving, run, function);
  coro_map_init(&s->keeps, run->arena);
  return true;
}

void elision_search_free(struct starts *s)
{
  coro_arena_free(s->scratch.arena);
}

static void begin_trace(struct starts *s, struct trace *t, const struct parts *parts)
{
  coro_arena_rewind(s->scratch.arena, s->empty);
  handle_effects_trace(&s->callees, &s->scratch, t, s->function);
  t->parts = parts;
}

static bool add_start(struct trace *t, LLVMValueRef at)
{
  return trace_add_event(t, (struct trace_event){.at = at, .kind = TRACE_START, .cell = TRACE_NONE});
}

static bool add_set(struct trace *t, LLVMValueRef at, uint16_t cell, enum holds holds)
{
  return trace_add_event(
      t, (struct trace_event){.at = at, .kind = TRACE_SET, .cell = cell, .from = TRACE_NONE, .constant = holds});
}

/* A destroy call that may destroy another coroutine as well: without allocation it would have to call another clone. */
static LLVMValueRef shared_destroy(const struct trace *t, const pass_values *from)
{
  for (uint32_t i = 0; i < t->destroys.count; i++) {
    bool own = false;
    for (uint32_t f = 0; f < from->count; f++)
      own |= LLVMGetOperand(t->destroys.items[i], CLONE_FRAME) == from->items[f];
    if (!own)
      return t->destroys.items[i];
  }
  return NULL;
}

static bool know_instruction(struct starts *s, LLVMValueRef at)
{
  switch (intrin_of(s->run->intrin, at)) {
  case INTRIN_SUSPEND: {
    LLVMValueRef save = LLVMGetOperand(at, SUSPEND_SAVE);
    return reachable_when_suspending(&s->suspending, at) &&
           (intrin_of(s->run->intrin, save) != INTRIN_SAVE || reachable_between(&s->suspended, save, at));
  }
  case INTRIN_FREE:
    return !clones_id_is_own(s->run, s->function, LLVMGetOperand(at, FREE_ID)) ||
           reachable_from(&s->gone, LLVMGetNextInstruction(at));
  default: return true;
  }
}

static bool know_function(struct starts *s)
{
  if (s->places.function)
    return true;
  bool fine = hook_site_number(&s->places, s->run->arena, s->function);
  reachable_init(&s->early, s->run, s->function);
  reachable_init(&s->suspended, s->run, s->function);
  reachable_init(&s->suspending, s->run, s->function);
  reachable_init(&s->gone, s->run, s->function);
  s->early.to_begin = true;
  if (!edit_is_presplit(s->function))
    return fine;
  LLVMBasicBlockRef b = LLVMGetEntryBasicBlock(s->function);
  for (fine = fine && reachable_from(&s->early, LLVMGetFirstInstruction(b)); b && fine; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at && fine; at = LLVMGetNextInstruction(at))
      fine = know_instruction(s, at);
  return fine;
}

/* In a coroutine: whether the caller's frame does not exist yet, or may be freed, at a use; NULL: nowhere. The exit
   paths after suspends are not visited by the walk. */
static const char *early_or_late(const struct starts *s, const struct trace *t, const pass_values *from,
                                 LLVMValueRef *at)
{
  for (uint32_t i = 0; i < from->count; i++) {
    *at = from->items[i];
    if (reachable_has(&s->early, *at))
      return "it is started before its caller's own frame is there";
    if (reachable_has(&s->suspended, *at))
      return "it is started by its caller that has suspended, which may go on before that is over";
  }
  for (uint32_t e = 0; e < t->events.count; e++) {
    *at = t->events.items[e].at;
    if (reachable_has(&s->suspending, *at))
      return "its handle is used where its caller suspends";
    if (t->events.items[e].kind == TRACE_END && reachable_has(&s->suspended, *at))
      return "it is destroyed by its caller that has suspended, which may go on before that is over";
  }
  *at = trace_used_in(t, &s->gone.found);
  return *at ? "it is used where its caller's own frame is gone" : NULL;
}

/* A use of the coroutine on the caller's exit path after its frame is gone; none if every path destroys it first. */
static LLVMValueRef left_in_use(const struct starts *s, const struct trace *t)
{
  LLVMValueRef used = trace_used_in(t, &s->suspended.found);
  return used ? used : trace_used_in(t, &s->suspending.found);
}

static bool is_private_frame(struct starts *s, struct trace *t, bool *private_frame)
{
  uint64_t resume = t->parts->apart ? 0 : coro_map_key(t->parts->address[CLONE_SLOT_RESUME]), known = 0;
  if (resume && coro_map_get(&s->keeps, resume, &known)) {
    *private_frame = known;
    return true;
  }
  return resume_keeps_frame_private(t, t->parts, private_frame) &&
         (!resume || coro_map_put(&s->keeps, resume, *private_frame));
}

/* Walks from each creation site to the function's exits. */
static bool judge(struct starts *s, struct trace *t, const pass_values *from, const char *known, bool thrown,
                  struct verdict *verdict)
{
  bool left = false;
  struct walk w = {.trace = t,
                   .places = &s->places,
                   .leaving = &s->leaving,
                   .suspended = &s->suspended,
                   .known = known,
                   .creation_unwind_escapes = thrown,
                   .steps = UINT64_MAX};
  if (!is_private_frame(s, t, &w.private_frame) || !know_function(s))
    return false;
  w.reason = early_or_late(s, t, from, &w.at);
  *verdict = (struct verdict){.at = from->items[0], .done = true, .destroys = t->destroys};
  for (uint32_t i = 0; i < from->count && !w.reason; i++) {
    if (!walk(&w, from->items[i]))
      return false;
    left |= w.leaves;
  }
  LLVMValueRef used = w.reason || !left ? NULL : left_in_use(s, t);
  if (used) {
    w.reason = "its caller that has suspended looks at it, which may be gone by then and have left it";
    w.at = used;
  }
  LLVMValueRef shared = w.reason ? NULL : shared_destroy(t, from);
  if (shared) {
    w.reason = "what destroys it also destroys what may be allocated";
    w.at = shared;
  }
  verdict->done = !w.reason;
  verdict->at = w.reason ? w.at : verdict->at;
  verdict->reason = w.reason ? w.reason
                    : left   ? "nobody else knows of it where it is left"
                             : "every way on from its start destroys it";
  return true;
}

bool decide_inlined_ramp(struct starts *s, const struct parts *parts, const pass_values *begins,
                         const pass_values *frees, struct verdict *verdict)
{
  struct trace t;
  uint16_t cell = TRACE_NONE;
  begin_trace(s, &t, parts);
  for (uint32_t i = 0; i < begins->count; i++) {
    if (!trace_add_handle(&t, begins->items[i], &cell))
      return false;
    if (cell == TRACE_NONE) {
      *verdict = (struct verdict){.reason = "it is begun in too many places", .at = begins->items[i]};
      return true;
    }
    if (!add_start(&t, begins->items[i]) || !add_set(&t, begins->items[i], cell, HOLDS_HANDLE))
      return false;
    for (uint32_t f = 0; f < frees->count; f++)
      if (!trace_add_event(&t, (struct trace_event){.at = frees->items[f], .kind = TRACE_END, .cell = cell}))
        return false;
  }
  return trace_follow(&t) && judge(s, &t, begins, NULL, false, verdict);
}

/* Seeds the trace with the values and slots that receive the handle. *known: a description if it also escapes. */
static bool seed_ramp(struct trace *t, const struct ramp *ramp, LLVMValueRef call, const char **known)
{
  uint16_t cell = TRACE_NONE;
  if (ramp->result != HOLDS_OTHER) {
    bool fine =
        ramp->field == TRACE_NONE ? trace_add_handle(t, call, &cell) : trace_add_field(t, call, ramp->field, &cell);
    if (!fine || !add_set(t, call, cell, ramp->result))
      return false;
  }
  for (uint32_t i = 0; i < ramp->slots.count; i++) {
    const struct ramp_slot *slot = &ramp->slots.items[i];
    if (!trace_add_slot(t, LLVMGetOperand(call, slot->parameter), slot->offset, &cell))
      return false;
    if (cell == TRACE_NONE)
      *known = "is put in memory that others know of";
    else if (slot->parameter < 64) {
      t->start_writes |= UINT64_C(1) << slot->parameter;
      t->start_keeps |= (uint64_t)slot->kept << slot->parameter;
    }
    if (cell != TRACE_NONE && !add_set(t, call, cell, slot->holds))
      return false;
  }
  return true;
}

bool decide_ramp_call(struct starts *s, const struct ramp *ramp, LLVMValueRef call, struct verdict *verdict)
{
  struct trace t;
  const char *known = ramp->kept ? "is known to others already when its ramp returns" : NULL;
  pass_values from = {&call, 1, 1};
  begin_trace(s, &t, &ramp->parts);
  t.start = call;
  return add_start(&t, call) && seed_ramp(&t, ramp, call, &known) && trace_follow(&t) &&
         judge(s, &t, &from, known, ramp->thrown, verdict);
}
