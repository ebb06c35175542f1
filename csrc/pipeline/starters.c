/* The functions that start coroutines, by the uses of llvm.coro.id.
   Needs: rounds, ramp. Leaves: those of them that are in turn picked. */
#include "pipeline/starters.h"

#include "ir/edit.h"
#include "pass/ramp.h"

enum { LONG = 256, ID_AMONG = 200 }; /* instructions of a function */

/* Others know of it as soon as its ramp returns: these few passes will hardly show that it can be elided, and there is
   nothing to be threaded where there is no loop. */
static bool is_known(struct pass_run *run, LLVMValueRef function)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct callees callees;
  struct ramps ramps;
  const struct ramp *ramp;
  callees_init(&callees, run);
  ramps_init(&ramps, &callees);
  bool known = ramp_of(&ramps, function, &ramp) && ramp && ramp->kept;
  coro_arena_rewind(run->arena, mark);
  return known;
}

/* Where a branch goes to a block that stands before it; each loop has one. */
static bool may_loop(struct pass_run *run, LLVMValueRef function)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct coro_map seen;
  uint64_t before;
  bool may = false;
  coro_map_init(&seen, run->arena);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !may; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
    may = !coro_map_put(&seen, coro_map_key(b), 1); /* the arena remembers */
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator) && !may; i++)
      may = coro_map_get(&seen, coro_map_key(LLVMGetSuccessor(terminator, i)), &before);
  }
  coro_arena_rewind(run->arena, mark);
  return may;
}

/* What a coroutine was split into has been through no pass of LLVM's, which is to tell what inlining it costs. */
static void pick_parts(struct rounds *rounds, const struct parts *parts)
{
  for (int slot = 0; slot < PART_SLOT_COUNT; slot++) {
    LLVMValueRef part = edit_strip_casts(parts->address[slot]);
    if (LLVMIsAFunction(part))
      (void)rounds_pick(rounds, part);
  }
}

struct starter_search {
  struct pass_run *run;
  struct rounds *rounds;
  struct coro_map ramps; /* function that is called -> enum ramp_kind */
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
  bool ramp = parts_own_id(s->run, callee, callee, ID_AMONG, parts);
  if (!known)
    kind = !ramp ? RAMP_NONE : is_known(s->run, callee) ? RAMP_KNOWN : RAMP_UNKNOWN;
  (void)coro_map_put(&s->ramps, coro_map_key(callee), kind); /* the arena remembers */
  return (enum ramp_kind)kind;
}

/* Whether the instruction starts a coroutine that has been split, by a call or as one that was inlined. */
static bool starts(struct starter_search *s, LLVMValueRef at, LLVMValueRef function, struct parts *parts)
{
  if (!edit_is_call(at))
    return false;
  if (intrin_of(s->run->intrin, at) == INTRIN_ID)
    return parts_of_id(s->run, at, parts) && parts->coroutine != function;
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
        any |= rounds_pick(s->rounds, function);
        pick_parts(s->rounds, &parts);
      }
  return any;
}

bool starters_pick(struct pass_run *run, struct rounds *rounds)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  struct starter_search s = {.run = run, .rounds = rounds};
  pass_values functions = {0};
  bool any = false;
  coro_map_init(&s.ramps, run->arena);
  (void)rounds_list(rounds, run->arena, &functions); /* likewise */
  rounds_narrow(rounds);
  for (uint32_t i = 0; i < functions.count; i++)
    if (rounds_may_pick(rounds, functions.items[i]))
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

bool starters_pick_drivers(struct pass_run *run, struct rounds *rounds)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  pass_values functions = {0};
  bool any = false;
  (void)rounds_list(rounds, run->arena, &functions); /* the arena remembers where memory ran out */
  rounds_narrow(rounds);
  for (uint32_t i = 0; i < functions.count; i++)
    if (rounds_drives(rounds, functions.items[i]) && !edit_is_presplit(functions.items[i]) &&
        !is_long(functions.items[i]))
      any |= rounds_pick(rounds, functions.items[i]);
  coro_arena_rewind(run->arena, mark);
  return any;
}
