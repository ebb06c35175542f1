/* Finds functions that create coroutines, by the uses of llvm.coro.id.
   Requires: rounds, ramp.
   Guarantees: those in the current wave are picked. */
#include "pipeline/coroutine_callers.h"

#include "ir/edit.h"
#include "pass/ramp.h"

enum { LONG = 256, ID_AMONG = 200 }; /* limits, in instructions of a function */

/* The handle escapes when the ramp returns, so these few passes will not enable elision; without a loop there is
   nothing to thread. */
static bool is_known(struct pass_run *run, LLVMValueRef function)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct callees callees;
  struct ramps ramps;
  const struct ramp *ramp;
  handle_effects_init(&callees, run);
  ramps_init(&ramps, &callees);
  bool known = ramp_of(&ramps, function, &ramp) && ramp && ramp->kept;
  coro_arena_rewind(run->arena, mark);
  return known;
}

/* Whether the function has a branch to an earlier block, as every loop has. */
static bool may_loop(struct pass_run *run, LLVMValueRef function)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct coro_map seen;
  uint64_t before;
  bool may = false;
  coro_map_init(&seen, run->arena);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !may; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
    may = !coro_map_put(&seen, coro_map_key(b), 1); /* the arena records the failure */
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator) && !may; i++)
      may = coro_map_get(&seen, coro_map_key(LLVMGetSuccessor(terminator, i)), &before);
  }
  coro_arena_rewind(run->arena, mark);
  return may;
}

/* Picks the clones of a coroutine: unoptimized, they would have an inflated inlining cost. */
static void pick_parts(struct rounds *rounds, const struct parts *parts)
{
  for (int slot = 0; slot < CLONE_SLOT_COUNT; slot++) {
    LLVMValueRef part = edit_strip_casts(parts->address[slot]);
    if (LLVMIsAFunction(part))
      (void)waves_select(rounds, part);
  }
}

struct starter_search {
  struct pass_run *run;
  struct rounds *rounds;
  struct coro_map ramps; /* called function -> enum ramp_kind */
};

enum ramp_kind { RAMP_NONE, RAMP_KNOWN, RAMP_UNKNOWN };

static enum ramp_kind kind_of(struct starter_search *s, LLVMValueRef callee, struct parts *parts)
{
  uint64_t kind = RAMP_NONE;
  if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee))
    return RAMP_NONE;
  bool known = coro_map_get(&s->ramps, coro_map_key(callee), &kind);
  if (known && kind == RAMP_NONE)
    return RAMP_NONE;
  bool ramp = clones_own_id(s->run, callee, callee, ID_AMONG, parts);
  if (!known)
    kind = !ramp ? RAMP_NONE : is_known(s->run, callee) ? RAMP_KNOWN : RAMP_UNKNOWN;
  (void)coro_map_put(&s->ramps, coro_map_key(callee), kind); /* the arena records the failure */
  return (enum ramp_kind)kind;
}

/* Whether the instruction creates a split coroutine, by a call or by an inlined ramp. */
static bool starts(struct starter_search *s, LLVMValueRef at, LLVMValueRef function, struct parts *parts)
{
  if (!edit_is_call(at))
    return false;
  if (intrin_of(s->run->intrin, at) == INTRIN_ID)
    return clones_of_id(s->run, at, parts) && parts->coroutine != function;
  enum ramp_kind kind = kind_of(s, LLVMGetCalledValue(at), parts);
  return kind == RAMP_UNKNOWN || (kind == RAMP_KNOWN && may_loop(s->run, function));
}

static bool pick_starter(struct starter_search *s, LLVMValueRef function)
{
  struct parts parts;
  bool any = false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (starts(s, at, function, &parts)) {
        any |= waves_select(s->rounds, function);
        pick_parts(s->rounds, &parts);
      }
  return any;
}

bool coroutine_callers_select(struct pass_run *run, struct rounds *rounds)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct starter_search s = {.run = run, .rounds = rounds};
  pass_values functions = {0};
  bool any = false;
  coro_map_init(&s.ramps, run->arena);
  (void)waves_list(rounds, run->arena, &functions); /* the arena records the failure */
  waves_restrict(rounds);
  for (uint32_t i = 0; i < functions.count; i++)
    if (waves_may_select(rounds, functions.items[i]))
      any |= pick_starter(&s, functions.items[i]);
  coro_arena_rewind(run->arena, mark);
  return any;
}

static bool is_long(LLVMValueRef function)
{
  int count = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && count <= LONG; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at && count <= LONG; at = LLVMGetNextInstruction(at))
      count++;
  return count > LONG;
}

bool coroutine_callers_select_eliding(struct pass_run *run, struct rounds *rounds)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  pass_values functions = {0};
  bool any = false;
  (void)waves_list(rounds, run->arena, &functions); /* the arena records the failure */
  waves_restrict(rounds);
  for (uint32_t i = 0; i < functions.count; i++)
    if (waves_was_requested(rounds, functions.items[i]) && !edit_is_presplit(functions.items[i]) &&
        !is_long(functions.items[i]))
      any |= waves_select(rounds, functions.items[i]);
  coro_arena_rewind(run->arena, mark);
  return any;
}
