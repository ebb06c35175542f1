/* Interprocedural summaries of the handle analysis: what a function does with a coroutine handle, or an object that
   holds one, passed as an argument. Recursive queries assume the worst.
   Requires: walk.
   Guarantees: the functions are unchanged. */
#include "pass/handle_effects.h"

#include "ir/edit.h"
#include "pass/handle_walk.h"

enum { DEEPEST = 8, STEPS = 20000 };

void handle_effects_init(struct callees *callees, struct pass_run *run)
{
  *callees = (struct callees){.run = run, .steps = STEPS};
  coro_map_init(&callees->last, run->arena);
}

/* Whether all definitions of the name are equivalent (linkonce_odr and the like), so that this body represents them. */
static bool is_one_of_a_kind(LLVMValueRef function)
{
  if (!LLVMIsAFunction(function) || LLVMIsDeclaration(function))
    return false;
  LLVMLinkage linkage = LLVMGetLinkage(function);
  return linkage == LLVMLinkOnceODRLinkage || linkage == LLVMWeakODRLinkage;
}

static bool is_looked_into(const struct callees *callees, LLVMValueRef function, unsigned parameter)
{
  static const char *const names[] = {"byval", "inalloca", "preallocated", "swifterror", "swiftasync"};
  bool known = edit_has_exact_definition(function) || is_one_of_a_kind(function);
  if (!known || parameter >= LLVMCountParams(function) || edit_is_presplit(function) ||
      edit_has_attribute(function, (unsigned)LLVMAttributeFunctionIndex, "naked") || callees->depth >= DEEPEST)
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (edit_has_attribute(function, parameter + 1, names[i]))
      return false;
  return LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, parameter))) == LLVMPointerTypeKind;
}

static bool seed(struct trace *t, const struct callee *asked, uint16_t *cell)
{
  LLVMValueRef parameter = LLVMGetParam(asked->function, asked->parameter);
  *cell = TRACE_NONE;
  switch (asked->given) {
  case ARGUMENT_HANDLE: return trace_add_handle(t, parameter, cell);
  case ARGUMENT_FRAME_ADDRESS: return trace_add_frame_address(t, parameter);
  case ARGUMENT_OBJECT: return trace_add_object(t, parameter) && trace_add_slot(t, parameter, asked->offset, cell);
  default: return trace_add_object(t, parameter);
  }
}

static bool is_written(const struct trace *t, uint16_t cell)
{
  for (uint32_t i = 0; i < t->events.count; i++)
    if (t->events.items[i].kind == TRACE_SET && t->events.items[i].cell == cell)
      return true;
  return false;
}

/* Whether it may move the handle to another slot of the object; the summary describes one slot. */
static bool is_moved_within(const struct trace *t, uint16_t slot)
{
  for (uint16_t c = 0; c < t->cells.count; c++) {
    const struct cell *cell = &t->cells.items[c];
    if (c != slot && !cell->value && LLVMIsAArgument(t->objects.items[cell->object].base))
      return true;
  }
  return false;
}

static bool walk_callee(struct callees *callees, struct trace *t, const struct callee *asked, uint16_t cell,
                        struct effect *effect)
{
  struct places places;
  struct leaving leaving;
  if (!hook_site_number(&places, callees->run->arena, asked->function))
    return false;
  exceptional_exits_init(&leaving, callees->run, asked->function);
  struct walk w = {.trace = t, .places = &places, .leaving = &leaving, .all = true, .steps = callees->steps};
  w.given = WALK_ESCAPED; /* the caller may have let it escape */
  if (cell != TRACE_NONE)
    w.given |= (uint64_t)HOLDS_HANDLE << 2 * cell;
  if (!walk(&w, NULL))
    return false;
  callees->steps = w.steps > places.of.count ? w.steps - places.of.count : 0;
  effect->in_front = t->in_front;
  if (w.reason)
    return true;
  bool slot = asked->given == ARGUMENT_OBJECT && cell != TRACE_NONE;
  *effect =
      (struct effect){.kept = w.kept || (t->objects.count && t->objects.items[0].exposed) || is_moved_within(t, cell),
                      .in_front = t->in_front,
                      .ends = !w.returns,
                      .throws = w.thrown,
                      .resumes = w.resumes,
                      .result = w.result,
                      .field = w.field,
                      .writes = !slot || is_written(t, cell),
                      .after = slot ? w.slots[cell] : HOLDS_MAYBE};
  return true;
}

static bool look(struct callees *callees, const struct callee *asked, struct effect *effect)
{
  struct trace t;
  uint16_t cell;
  handle_effects_trace(callees, callees->run, &t, asked->function);
  if (!seed(&t, asked, &cell) || !trace_follow(&t))
    return false;
  if (asked->given != ARGUMENT_ADDRESS)
    return walk_callee(callees, &t, asked, cell, effect);
  effect->kept = t.objects.items[0].exposed != NULL;
  return true;
}

static const struct callee *find(const struct callees *callees, const struct callee *question)
{
  uint64_t at = 0;
  coro_map_get(&callees->last, coro_map_key(question->function), &at);
  for (; at; at = callees->asked.items[at - 1].before) {
    const struct callee *c = &callees->asked.items[at - 1];
    if (c->parameter == question->parameter && c->given == question->given && c->offset == question->offset)
      return c;
  }
  return NULL;
}

static bool ask(struct trace *t, LLVMValueRef function, unsigned parameter, enum given given, int64_t offset,
                struct effect *effect)
{
  struct callees *callees = t->user;
  struct callee question = {
      function, parameter, given, offset, {.kept = true, .field = TRACE_NONE, .writes = true, .after = HOLDS_MAYBE}, 0};
  *effect = question.effect;
  if (!is_looked_into(callees, function, parameter))
    return true;
  const struct callee *before = find(callees, &question);
  uint64_t last = 0;
  coro_map_get(&callees->last, coro_map_key(function), &last);
  question.before = (uint32_t)last;
  if (before) {
    *effect = before->effect;
    return true;
  }
  uint32_t index = callees->asked.count;
  if (!callees->steps)
    return true;
  if (!coro_vec_push(callees->run->arena, &callees->asked, question) ||
      !coro_map_put(&callees->last, coro_map_key(function), index + 1))
    return false;
  callees->depth++;
  bool fine = look(callees, &question, effect);
  callees->depth--;
  callees->asked.items[index].effect = *effect;
  return fine;
}

void handle_effects_trace(struct callees *callees, struct pass_run *run, struct trace *t, LLVMValueRef function)
{
  trace_init(t, run, function);
  t->ask = ask;
  t->user = callees;
}
