/* Twins: two functions of which one does what the other does, and then something more.
   Needs: alike. Leaves: both as they were. */
#include "ir/twin.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/alike.h"
#include "ir/edit.h"
#include "ir/flow.h"

enum { JUMPS = 16 }; /* that are followed in a row */

struct pair {
  LLVMBasicBlockRef longer, shorter;
};

struct walk {
  struct coro_arena *arena;
  struct twin *found;
  struct coro_map same; /* instruction, argument or block of the longer function -> the shorter one's */
  struct coro_map taken; /* blocks of the shorter function that stand for one of the longer */
  CORO_VEC(struct pair) blocks; /* that both have; each is walked in its turn */
  CORO_VEC(LLVMBasicBlockRef) behind; /* blocks that the rest goes through, but for its first */
  struct coro_map rest; /* instructions of the rest, and blocks that it goes through */
};

static bool has(const struct coro_map *map, const void *key)
{
  uint64_t known;
  return coro_map_get(map, coro_map_key(key), &known);
}

static bool is_mapped(const struct walk *w, const void *longer, const void *shorter)
{
  uint64_t known;
  return coro_map_get(&w->same, coro_map_key(longer), &known) && known == coro_map_key(shorter);
}

static bool is_phi(LLVMValueRef instruction)
{
  return LLVMIsAPHINode(instruction) != NULL;
}

static LLVMValueRef behind_jumps(LLVMValueRef at)
{
  for (unsigned i = 0; i < JUMPS && flow_is_jump(at); i++)
    at = LLVMGetFirstInstruction(LLVMGetSuccessor(at, 0));
  return at;
}

/* ---- Side by side ---- */

/* The shorter one has done everything. */
static bool is_over(LLVMValueRef shorter)
{
  return LLVMIsAReturnInst(behind_jumps(shorter)) != NULL;
}

static bool is_rest(struct walk *w, LLVMValueRef longer)
{
  longer = behind_jumps(longer);
  if (!w->found->rest)
    w->found->rest = longer;
  return w->found->rest == longer && !is_phi(longer);
}

static bool come_to(struct walk *w, LLVMBasicBlockRef longer, LLVMBasicBlockRef shorter)
{
  if (is_over(LLVMGetFirstInstruction(shorter)))
    return is_rest(w, LLVMGetFirstInstruction(longer));
  if (has(&w->same, longer))
    return is_mapped(w, longer, shorter);
  return !has(&w->taken, shorter) && coro_map_put(&w->taken, coro_map_key(shorter), 1) &&
         coro_map_put(&w->same, coro_map_key(longer), coro_map_key(shorter)) &&
         coro_vec_push(w->arena, &w->blocks, ((struct pair){longer, shorter}));
}

/* What may come back twice, or leaves the frame of its function to another, is not moved to another function. */
static bool stays(LLVMValueRef instruction)
{
  return edit_is_call(instruction) &&
         (edit_returns_twice(instruction) ||
          (LLVMIsACallInst(instruction) && LLVMGetTailCallKind(instruction) == LLVMTailCallKindMustTail));
}

/* What an address or a value is computed by mostly becomes a part of what uses it. */
static bool weighs(LLVMValueRef instruction)
{
  return !is_phi(instruction) && !LLVMIsAGetElementPtrInst(instruction) && !LLVMIsACastInst(instruction) &&
         !LLVMIsAUnreachableInst(instruction) && !LLVMIsALandingPadInst(instruction) && !flow_is_jump(instruction);
}

static bool ways_are_same(struct walk *w, LLVMValueRef longer, LLVMValueRef shorter)
{
  unsigned count = LLVMGetNumSuccessors(longer);
  bool same = LLVMGetNumSuccessors(shorter) == count;
  for (unsigned i = 0; i < count && same; i++)
    same = come_to(w, LLVMGetSuccessor(longer, i), LLVMGetSuccessor(shorter, i));
  return same;
}

static bool walk_block(struct walk *w, struct pair block)
{
  LLVMValueRef longer = LLVMGetFirstInstruction(block.longer), shorter = LLVMGetFirstInstruction(block.shorter);
  for (;; longer = LLVMGetNextInstruction(longer), shorter = LLVMGetNextInstruction(shorter)) {
    if (is_over(shorter))
      return is_rest(w, longer);
    if (!alike_in_full(longer, shorter) || stays(longer) ||
        !coro_map_put(&w->same, coro_map_key(longer), coro_map_key(shorter)))
      return false;
    w->found->weight += weighs(longer);
    if (LLVMIsATerminatorInst(longer))
      return ways_are_same(w, longer, shorter);
  }
}

/* ---- What they are given ---- */

static bool is_own(LLVMValueRef value)
{
  return edit_is_instruction(value) || LLVMIsAArgument(value);
}

static bool is_same_value(const struct walk *w, LLVMValueRef longer, LLVMValueRef shorter)
{
  return is_own(longer) ? is_mapped(w, longer, shorter) : longer == shorter;
}

/* Whatever the order in which the two phis name the ways. */
static bool comes_in_same(const struct walk *w, LLVMValueRef longer, LLVMValueRef shorter)
{
  struct coro_arena_mark mark = coro_arena_mark(w->arena);
  struct coro_map incoming; /* block -> what comes in from it */
  bool same = true;
  uint64_t from, value;
  coro_map_init(&incoming, w->arena);
  for (unsigned i = 0; i < LLVMCountIncoming(shorter) && same; i++)
    same = coro_map_put(&incoming, coro_map_key(LLVMGetIncomingBlock(shorter, i)),
                        coro_map_key(LLVMGetIncomingValue(shorter, i)));
  for (unsigned i = 0; i < LLVMCountIncoming(longer) && same; i++)
    same = coro_map_get(&w->same, coro_map_key(LLVMGetIncomingBlock(longer, i)), &from) &&
           coro_map_get(&incoming, from, &value) &&
           is_same_value(w, LLVMGetIncomingValue(longer, i), (LLVMValueRef)(uintptr_t)value);
  coro_arena_rewind(w->arena, mark);
  return same;
}

static bool is_given_same(const struct walk *w, LLVMValueRef longer, LLVMValueRef shorter)
{
  bool same = true;
  if (is_phi(longer))
    return comes_in_same(w, longer, shorter);
  for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(longer) && same; o++) {
    LLVMValueRef operand = LLVMGetOperand(longer, o); /* blocks are ways, which have been looked at */
    same = LLVMValueIsBasicBlock(operand) || is_same_value(w, operand, LLVMGetOperand(shorter, o));
  }
  return same;
}

static bool are_given_same(const struct walk *w)
{
  uint64_t other;
  for (uint32_t b = 0; b < w->blocks.count; b++)
    for (LLVMValueRef at = LLVMGetFirstInstruction(w->blocks.items[b].longer); at; at = LLVMGetNextInstruction(at)) {
      if (!coro_map_get(&w->same, coro_map_key(at), &other))
        break; /* the rest begins here */
      if (!is_given_same(w, at, (LLVMValueRef)(uintptr_t)other))
        return false;
    }
  return true;
}

/* ---- The rest ---- */

static bool go_on(struct walk *w, LLVMValueRef from)
{
  for (LLVMValueRef at = from; at; at = LLVMGetNextInstruction(at))
    if (!coro_map_put(&w->rest, coro_map_key(at), 1))
      return false;
  LLVMValueRef last = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(from));
  for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
    LLVMBasicBlockRef next = LLVMGetSuccessor(last, i);
    if (has(&w->same, next) || next == LLVMGetInstructionParent(w->found->rest))
      return false; /* it comes back to what both have, or to its beginning */
    if (!has(&w->rest, next) &&
        (!coro_map_put(&w->rest, coro_map_key(next), 1) || !coro_vec_push(w->arena, &w->behind, next)))
      return false;
  }
  return true;
}

static bool needs_only_rest(const struct walk *w, LLVMValueRef from)
{
  for (LLVMValueRef at = from; at; at = LLVMGetNextInstruction(at))
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(at); o++) {
      LLVMValueRef operand = LLVMGetOperand(at, o);
      if (!LLVMValueIsBasicBlock(operand) && edit_is_instruction(operand) && !has(&w->rest, operand))
        return false;
    }
  return true;
}

/* Wherever the rest is come to, it is by a return of the shorter function: else a phi of it would say by which way. */
static bool stands_alone(struct walk *w)
{
  LLVMValueRef rest = w->found->rest;
  coro_map_init(&w->rest, w->arena);
  if (!rest || !go_on(w, rest))
    return false;
  for (uint32_t i = 0; i < w->behind.count; i++)
    if (!go_on(w, LLVMGetFirstInstruction(w->behind.items[i])))
      return false;
  bool alone = needs_only_rest(w, rest);
  for (uint32_t i = 0; i < w->behind.count && alone; i++)
    alone = needs_only_rest(w, LLVMGetFirstInstruction(w->behind.items[i]));
  return alone;
}

static bool begin(struct walk *w, LLVMValueRef longer, LLVMValueRef shorter)
{
  coro_map_init(&w->same, w->arena);
  coro_map_init(&w->taken, w->arena);
  for (unsigned p = 0; p < LLVMCountParams(longer); p++)
    if (!coro_map_put(&w->same, coro_map_key(LLVMGetParam(longer, p)), coro_map_key(LLVMGetParam(shorter, p))))
      return false;
  return come_to(w, LLVMGetEntryBasicBlock(longer), LLVMGetEntryBasicBlock(shorter));
}

bool twin(struct coro_arena *arena, LLVMValueRef longer, LLVMValueRef shorter, struct twin *found)
{
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct walk w = {.arena = arena, .found = found};
  *found = (struct twin){0};
  bool same = begin(&w, longer, shorter);
  for (uint32_t b = 0; b < w.blocks.count && same; b++)
    same = walk_block(&w, w.blocks.items[b]);
  same = same && are_given_same(&w) && stands_alone(&w);
  coro_arena_rewind(arena, scratch);
  return same;
}
