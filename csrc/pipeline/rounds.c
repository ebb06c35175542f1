/* A CGSCC pipeline in rounds.
   Needs: order, the passes. Leaves: the functions as they were, but for what is run between shield and unshield. */
#include "pipeline/rounds.h"

#include <string.h>

#include "base/bits.h"
#include "ir/edit.h"
#include "llvm-c/Analysis.h"
#include "pipeline/order.h"

enum { MOST_CHANGES = 4 }; /* as many as LLVM's devirt<4> */

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

/* Passes of LLVM's and of the caller's remove functions and put others in their place, at any address; a name is one
   function's alone. */
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

static struct round_function *at_key(const struct rounds *rounds, uint64_t key)
{
  uint64_t place = 0;
  return rounds->arena && coro_map_get(&rounds->places, key, &place) ? &rounds->functions.items[place] : NULL;
}

static struct round_function *find(const struct rounds *rounds, LLVMValueRef function)
{
  return at_key(rounds, key_of(function));
}

/* What the function is for the next round, by what it was in the last and what became of it. */
static struct round_function carry_on(const struct round_function *was, LLVMValueRef function)
{
  struct round_function now = {.turn = TURN_OPEN, .presplit = edit_is_presplit(function)};
  now.optnone = edit_has_attribute(function, on_function, "optnone");
  if (!was)
    return now;
  bool split = was->presplit && !now.presplit, through = was->turn == TURN_NOW && !was->again && !split;
  now.turn = was->turn == TURN_OVER || through ? TURN_OVER : TURN_OPEN;
  now.changes = split ? 0 : was->changes;
  return now;
}

static void reopen(struct round_function *function)
{
  if (function->turn != TURN_OVER || function->changes == MOST_CHANGES)
    return;
  function->turn = TURN_OPEN;
  function->changes++;
}

static bool list(struct rounds *rounds, const struct rounds *last, const struct calls *calls)
{
  coro_map_init(&rounds->places, rounds->arena);
  bool fine = coro_map_reserve(&rounds->places, calls->functions.count);
  for (uint32_t i = 0; i < calls->functions.count && fine; i++) {
    LLVMValueRef function = calls->functions.items[i];
    uint64_t key = key_of(function);
    fine = coro_vec_push(rounds->arena, &rounds->functions, carry_on(at_key(last, key), function)) &&
           coro_map_put(&rounds->places, key, i);
  }
  return fine;
}

/* Those that call a function which is to go through again look at it once more. */
static void reopen_callers(const struct rounds *last, struct rounds *rounds, const struct calls *calls)
{
  for (uint32_t i = 0; i < calls->functions.count; i++) {
    LLVMValueRef function = calls->functions.items[i];
    const struct round_function *was = find(last, function);
    for (LLVMUseRef use = was && was->again ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      uint64_t caller;
      if (edit_calls(user, function) && coro_map_get(&calls->numbers, coro_map_key(edit_function_of(user)), &caller))
        reopen(&rounds->functions.items[caller]);
    }
  }
}

/* One component, whose places in the order begin at `at`: whether it is in turn, which it is unless a coroutine that is
   still to be split is below it. The place behind its last. */
static uint32_t decide(struct rounds *rounds, const struct calls *calls, struct coro_bits *ahead, uint32_t at)
{
  uint32_t component = calls->scc.component[calls->order[at]], end = at;
  bool own = false, below = false;
  for (; end < calls->functions.count && calls->scc.component[calls->order[end]] == component; end++) {
    uint32_t place = calls->order[end];
    const struct round_function *f = &rounds->functions.items[place];
    own |= f->turn == TURN_OPEN && f->presplit;
    for (uint32_t e = calls->graph.succ_start[place]; e < calls->graph.succ_start[place + 1]; e++)
      below |= coro_bits_get(ahead, calls->scc.component[calls->graph.succ[e]]);
  }
  if (own || below)
    coro_bits_set(ahead, component);
  for (uint32_t i = at; i < end; i++) {
    struct round_function *f = &rounds->functions.items[calls->order[i]];
    if (f->turn == TURN_OPEN)
      f->turn = below ? TURN_WAITS : TURN_NOW;
    rounds->any |= f->turn == TURN_NOW;
  }
  return end;
}

static bool begin(struct rounds *rounds, const struct rounds *last)
{
  struct calls calls;
  struct coro_bits ahead; /* by component: a coroutine that is still to be split is in it, or below it */
  struct coro_arena *arena = rounds->arena;
  pass_values functions = {0};
  if (!order_list(&functions, arena, rounds->run->module) || !calls_find(&calls, arena, &functions) ||
      !list(rounds, last, &calls) || !coro_bits_init(&ahead, arena, calls.scc.count))
    return false;
  if (last->arena)
    reopen_callers(last, rounds, &calls);
  for (uint32_t i = 0; i < calls.functions.count;)
    i = decide(rounds, &calls, &ahead, i);
  return true;
}

void rounds_begin(struct rounds *rounds, struct pass_run *run)
{
  *rounds = (struct rounds){.run = run};
}

coro_status rounds_next(struct rounds *rounds, bool *more)
{
  struct rounds next = {.run = rounds->run, .arena = coro_arena_create(), .count = rounds->count + 1};
  next.in_vain = rounds->in_vain;
  *more = false;
  if (!next.arena)
    return CORO_ENOMEM;
  coro_arena_grant(next.arena, &rounds->run->budget);
  bool fine = begin(&next, rounds);
  next.most = rounds->count ? rounds->most : (MOST_CHANGES + 2) * (next.functions.count + 64);
  *more = next.any && next.count <= next.most;
  rounds_end(rounds);
  *rounds = next;
  return fine ? CORO_OK : CORO_ENOMEM;
}

static bool is_in_turn(const struct rounds *rounds, const struct round_function *f)
{
  return f->turn == TURN_NOW && (f->picked || !rounds->narrow);
}

bool rounds_in_turn(const struct rounds *rounds, LLVMValueRef function)
{
  const struct round_function *f = find(rounds, function);
  return !f || is_in_turn(rounds, f);
}

bool rounds_again(struct rounds *rounds, LLVMValueRef function)
{
  struct round_function *f = find(rounds, function);
  if (!f || (f->changes == MOST_CHANGES && !rounds->narrow))
    return false;
  f->changes += !rounds->narrow;
  f->again = true;
  f->drives |= rounds->narrow;
  rounds->drive |= rounds->narrow;
  rounds->in_vain = false;
  return true;
}

void rounds_narrow(struct rounds *rounds)
{
  rounds->narrow = true;
}

static bool may_pick(const struct round_function *f)
{
  return f && f->turn == TURN_NOW && !f->optnone;
}

bool rounds_may_pick(const struct rounds *rounds, LLVMValueRef function)
{
  return may_pick(find(rounds, function));
}

bool rounds_pick(struct rounds *rounds, LLVMValueRef function)
{
  struct round_function *f = find(rounds, function);
  bool picks = may_pick(f);
  if (picks)
    f->picked = true;
  return picks;
}

bool rounds_pick_changed(struct rounds *rounds)
{
  bool any = false;
  for (uint32_t i = 0; i < rounds->functions.count; i++) {
    struct round_function *f = &rounds->functions.items[i];
    f->picked = f->again;
    f->again = false;
    any |= f->picked;
  }
  return any;
}

bool rounds_drives(const struct rounds *rounds, LLVMValueRef function)
{
  const struct round_function *f = rounds->drive ? find(rounds, function) : NULL;
  return f && f->drives;
}

void rounds_widen(struct rounds *rounds)
{
  (void)rounds_pick_changed(rounds);
  rounds->narrow = false;
}

/* Those that are not in turn and lack optnone by themselves. */
static bool is_shielded(const struct rounds *rounds, LLVMValueRef function)
{
  const struct round_function *f = LLVMIsDeclaration(function) ? NULL : find(rounds, function);
  return f && !is_in_turn(rounds, f) && !f->optnone;
}

void rounds_shield(const struct rounds *rounds)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(rounds->run->module); f; f = LLVMGetNextFunction(f))
    if (is_shielded(rounds, f))
      edit_add_attribute(f, on_function, "optnone");
}

void rounds_unshield(const struct rounds *rounds)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(rounds->run->module); f; f = LLVMGetNextFunction(f))
    if (is_shielded(rounds, f))
      edit_remove_attribute(f, on_function, "optnone");
}

struct naming { /* by function: whether it is in turn; whether it or one that names it is */
  const struct rounds *rounds;
  struct coro_map in_turn, near;
};

static bool is_near(struct naming *n, LLVMValueRef function);

static bool knows_in_turn(struct naming *n, LLVMValueRef function)
{
  uint64_t known = 0, key = coro_map_key(function);
  if (!coro_map_get(&n->in_turn, key, &known))
    (void)coro_map_put(&n->in_turn, key, known = rounds_in_turn(n->rounds, function)); /* unknown again: asked again */
  return known;
}

/* Whether a function that names the value is in turn, or, with `near`, named by one that is. */
static bool is_named(struct naming *n, LLVMValueRef value, bool near)
{
  bool named = false;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use && !named; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_is_instruction(user)) {
      named = LLVMIsAConstantExpr(user) && is_named(n, user, near); /* a place in it: not nested deep */
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

bool rounds_name_private(const struct rounds *rounds)
{
  struct coro_arena_mark mark = coro_arena_mark(rounds->arena);
  struct naming n = {.rounds = rounds};
  bool named = false;
  coro_map_init(&n.in_turn, rounds->arena);
  coro_map_init(&n.near, rounds->arena);
  for (LLVMValueRef g = LLVMGetFirstGlobal(rounds->run->module); g && !named; g = LLVMGetNextGlobal(g))
    named = edit_is_local(g) && !LLVMIsGlobalConstant(g) && is_named(&n, g, true);
  coro_arena_rewind(rounds->arena, mark);
  return named;
}

bool rounds_verify(const struct rounds *rounds)
{
  bool fine = true;
  for (LLVMValueRef f = LLVMGetFirstFunction(rounds->run->module); f && fine; f = LLVMGetNextFunction(f))
    fine = LLVMIsDeclaration(f) || !rounds_in_turn(rounds, f) || !LLVMVerifyFunction(f, LLVMReturnStatusAction);
  return fine;
}

void rounds_end(struct rounds *rounds)
{
  coro_arena_free(rounds->arena);
  rounds->arena = NULL;
}
