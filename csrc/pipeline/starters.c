/* The functions that start coroutines, by the uses of llvm.coro.id.
   Needs: rounds, ramp. Leaves: those of them that are in turn picked. */
#include "pipeline/starters.h"

#include "ir/edit.h"
#include "pass/ramp.h"

enum { LONG = 256 }; /* instructions of a function */

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

static bool pick_callers(struct pass_run *run, struct rounds *rounds, LLVMValueRef ramp)
{
  enum { UNASKED, UNKNOWN, KNOWN } known = UNASKED;
  bool any = false;
  for (LLVMUseRef use = LLVMGetFirstUse(ramp); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_calls(user, ramp) || !rounds_may_pick(rounds, edit_function_of(user)))
      continue;
    if (known == UNASKED)
      known = is_known(run, ramp) ? KNOWN : UNKNOWN;
    if (known == UNKNOWN || may_loop(run, edit_function_of(user)))
      any |= rounds_pick(rounds, edit_function_of(user));
  }
  return any;
}

/* What they were split into this round has been through no pass of LLVM's, which is to tell what inlining it costs. */
static void pick_parts(struct rounds *rounds, const struct parts *parts)
{
  for (int slot = 0; slot < PART_SLOT_COUNT; slot++) {
    LLVMValueRef part = edit_strip_casts(parts->address[slot]);
    if (LLVMIsAFunction(part))
      (void)rounds_pick(rounds, part);
  }
}

bool starters_pick(struct pass_run *run, struct rounds *rounds)
{
  struct parts parts;
  bool any = false;
  LLVMValueRef id = LLVMGetNamedFunction(run->module, intrin_name(INTRIN_ID));
  for (LLVMUseRef use = id ? LLVMGetFirstUse(id) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_is_instruction(user) || !parts_of_id(run, user, &parts))
      continue;
    LLVMValueRef function = edit_function_of(user);
    bool own = function == parts.coroutine;
    bool starts = own ? pick_callers(run, rounds, function) : rounds_pick(rounds, function);
    if (starts)
      pick_parts(rounds, &parts);
    any |= starts;
  }
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
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f))
    if (rounds_drives(rounds, f) && !edit_is_presplit(f) && !is_long(f))
      any |= rounds_pick(rounds, f);
  return any;
}
