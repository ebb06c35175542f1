/* Tails: ends of a function that do the same stand in it once. Two places do the same if the same calls and accesses
   follow each other from there to the end, with operands that are the same or do the same in their turn: both are
   walked side by side. What is only computed is looked at where it is used, as optimisers move it about.
   Needs: a function that verifies. Leaves: one that verifies, and does as before. */
#include "ir/tails.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "ir/alike.h"
#include "ir/edit.h"
#include "ir/prune.h"

enum {
  MOST_STEPS = 1 << 16, /* instructions looked at for one function */
  MOST_KEPT = 8,        /* values that are read before a tail begins */
  MOST_DEPTH = 8,       /* of what is computed for one operand */
  LEAST_DONE = 3        /* in a tail, if it needs a block in front of it */
};

struct blocks {
  LLVMBasicBlockRef *items;
  LLVMValueRef *begins; /* the first instruction in each that does something */
  uint32_t count, capacity;
};

struct pair {
  LLVMValueRef stays, goes; /* instructions */
};

struct walk {
  struct coro_arena *arena;
  LLVMBasicBlockRef entry;
  LLVMBasicBlockRef head;    /* the first block of the tail that stays */
  LLVMBasicBlockRef own;     /* ... and of the one that goes, which keeps what stands before `from` */
  LLVMValueRef from;
  struct coro_map given;     /* phi of `head` -> what it gets from there */
  struct coro_map values; /* of the tail that goes -> of the one that stays */
  struct coro_map blocks; /* likewise */
  struct coro_map stays;  /* blocks of the tail that stays: 1 */
  CORO_VEC(struct pair) pending; /* where the walk goes on: first instructions of blocks */
  CORO_VEC(struct pair) pairs;   /* instructions that are one in the end */
  uint32_t left; /* steps */
};

static bool is_done(struct walk *w)
{
  return !w->left || coro_arena_failed(w->arena);
}

/* It is the same and is there in all of the function. */
static bool is_everywhere(const struct walk *w, LLVMValueRef value)
{
  return !LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) == w->entry;
}

/* What a phi at the head would get from where the other tail begins. */
static bool give(struct walk *w, LLVMValueRef phi, LLVMValueRef value)
{
  uint64_t known;
  if (coro_map_get(&w->given, coro_map_key(phi), &known))
    return known == coro_map_key(value);
  bool there = is_everywhere(w, value);
  if (!there && LLVMGetInstructionParent(value) == w->own)
    for (LLVMValueRef at = LLVMGetFirstInstruction(w->own); at != w->from && !there; at = LLVMGetNextInstruction(at))
      there = at == value;
  return there && LLVMTypeOf(phi) == LLVMTypeOf(value) &&
         coro_map_put(&w->given, coro_map_key(phi), coro_map_key(value));
}

static bool note(struct walk *w, LLVMValueRef stays, LLVMValueRef goes)
{
  w->left -= w->left > 0;
  return coro_map_put(&w->values, coro_map_key(goes), coro_map_key(stays)) &&
         coro_vec_push(w->arena, &w->pairs, ((struct pair){stays, goes}));
}

/* NOLINTNEXTLINE(misc-no-recursion): down operands, as deep as is said above. */
static bool same_value(struct walk *w, LLVMValueRef stays, LLVMValueRef goes, unsigned depth)
{
  uint64_t known;
  if (LLVMIsAPHINode(stays) && LLVMGetInstructionParent(stays) == w->head)
    return give(w, stays, goes);
  if (stays == goes)
    return is_everywhere(w, stays);
  if (coro_map_get(&w->values, coro_map_key(goes), &known))
    return known == coro_map_key(stays);
  if (!depth || is_done(w) || !LLVMIsAInstruction(stays) || !LLVMIsAInstruction(goes) || !alike_is_pure(stays) ||
      !alike(w->arena, stays, goes))
    return false;
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(stays); i++)
    if (!same_value(w, LLVMGetOperand(stays, i), LLVMGetOperand(goes, i), depth - 1))
      return false;
  return note(w, stays, goes);
}

/* Operands that are blocks are ways, and looked at as such. */
static bool same_operands(struct walk *w, LLVMValueRef stays, LLVMValueRef goes)
{
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(stays); i++) {
    LLVMValueRef a = LLVMGetOperand(stays, i), b = LLVMGetOperand(goes, i);
    if (LLVMValueIsBasicBlock(a) != LLVMValueIsBasicBlock(b) ||
        (!LLVMValueIsBasicBlock(a) && !same_value(w, a, b, MOST_DEPTH)))
      return false;
  }
  return true;
}

static LLVMValueRef behind_phis(LLVMBasicBlockRef block)
{
  LLVMValueRef inst = LLVMGetFirstInstruction(block);
  while (LLVMIsAPHINode(inst))
    inst = LLVMGetNextInstruction(inst);
  return inst;
}

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingBlock(phi, i) == block)
      return LLVMGetIncomingValue(phi, i);
  return NULL;
}

/* What the phis get on two ways, to blocks that may be one. */
static bool same_phis(struct walk *w, LLVMBasicBlockRef to[2], LLVMBasicBlockRef from[2], bool seen)
{
  LLVMValueRef a = LLVMGetFirstInstruction(to[0]), b = LLVMGetFirstInstruction(to[1]);
  for (; LLVMIsAPHINode(a) && LLVMIsAPHINode(b); a = LLVMGetNextInstruction(a), b = LLVMGetNextInstruction(b)) {
    LLVMValueRef into_a = incoming_from(a, from[0]), into_b = incoming_from(b, from[1]);
    if (!into_a || !into_b || !alike(w->arena, a, b) || !same_value(w, into_a, into_b, MOST_DEPTH) ||
        (a != b && !seen && !note(w, a, b)))
      return false;
  }
  return !LLVMIsAPHINode(a) && !LLVMIsAPHINode(b);
}

static bool same_way(struct walk *w, LLVMBasicBlockRef to[2], LLVMBasicBlockRef from[2])
{
  uint64_t known = 0;
  bool seen = coro_map_get(&w->blocks, coro_map_key(to[1]), &known);
  if (to[0] == w->entry || (seen && known != coro_map_key(to[0])) || !same_phis(w, to, from, seen || to[0] == to[1]))
    return false;
  if (seen || to[0] == to[1])
    return true;
  return coro_map_put(&w->blocks, coro_map_key(to[1]), coro_map_key(to[0])) &&
         coro_map_put(&w->stays, coro_map_key(to[0]), 1) &&
         coro_vec_push(w->arena, &w->pending, ((struct pair){behind_phis(to[0]), behind_phis(to[1])}));
}

static bool same_ways(struct walk *w, LLVMValueRef stays, LLVMValueRef goes)
{
  LLVMBasicBlockRef from[2] = {LLVMGetInstructionParent(stays), LLVMGetInstructionParent(goes)};
  unsigned count = LLVMGetNumSuccessors(stays);
  for (unsigned i = 0; i < count; i++) {
    LLVMBasicBlockRef to[2] = {LLVMGetSuccessor(stays, i), LLVMGetSuccessor(goes, i)};
    if (!same_way(w, to, from))
      return false;
  }
  return LLVMGetNumSuccessors(goes) == count;
}

/* Nothing but the one way leads there. */
static bool has_one_way(LLVMBasicBlockRef block)
{
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
  return use && !LLVMGetNextUse(use) && !LLVMIsAPHINode(LLVMGetFirstInstruction(block));
}

/* The next instruction that does something, over what is only computed and on into blocks that nobody else comes to. */
static LLVMValueRef next_done(struct walk *w, LLVMValueRef inst, bool stays)
{
  for (; !is_done(w); w->left--) {
    if (alike_is_pure(inst)) {
      inst = LLVMGetNextInstruction(inst);
      continue;
    }
    if (!LLVMIsABranchInst(inst) || LLVMIsConditional(inst) || !has_one_way(LLVMGetSuccessor(inst, 0)))
      return inst;
    LLVMBasicBlockRef to = LLVMGetSuccessor(inst, 0);
    if (!coro_map_put(stays ? &w->stays : &w->blocks, coro_map_key(to), 1))
      return inst;
    inst = LLVMGetFirstInstruction(to);
  }
  return inst;
}

static bool walk_on(struct walk *w, struct pair at)
{
  for (;;) {
    at.stays = next_done(w, at.stays, true);
    at.goes = next_done(w, at.goes, false);
    if (is_done(w) || !alike(w->arena, at.stays, at.goes) || !same_operands(w, at.stays, at.goes) ||
        !note(w, at.stays, at.goes))
      return false;
    if (LLVMIsATerminatorInst(at.stays))
      return same_ways(w, at.stays, at.goes);
    at = (struct pair){LLVMGetNextInstruction(at.stays), LLVMGetNextInstruction(at.goes)};
  }
}

/* Whoever comes newly to the tail that stays has all that is used there. */
static bool is_whole(const struct walk *w)
{
  uint64_t known;
  for (uint32_t i = 0; i < w->pairs.count; i++) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(w->pairs.items[i].stays);
    if (block != w->entry && !coro_map_get(&w->stays, coro_map_key(block), &known))
      return false;
  }
  return true;
}

/* From where the head begins, and from `from` on in the other tail. */
static bool do_the_same(struct walk *w, LLVMBasicBlockRef stays, LLVMBasicBlockRef goes, LLVMValueRef from)
{
  uint64_t known; /* a tail that is part of the other would lose what comes before it */
  w->head = stays;
  w->own = goes;
  w->from = from;
  coro_map_init(&w->given, w->arena);
  coro_map_init(&w->values, w->arena);
  coro_map_init(&w->blocks, w->arena);
  coro_map_init(&w->stays, w->arena);
  w->pairs.count = w->pending.count = 0;
  if (!coro_map_put(&w->blocks, coro_map_key(goes), coro_map_key(stays)) ||
      !coro_map_put(&w->stays, coro_map_key(stays), 1) ||
      !coro_vec_push(w->arena, &w->pending, ((struct pair){behind_phis(stays), from})))
    return false;
  while (w->pending.count)
    if (!walk_on(w, w->pending.items[--w->pending.count]))
      return false;
  return is_whole(w) && !coro_map_get(&w->blocks, coro_map_key(stays), &known) &&
         !coro_map_get(&w->stays, coro_map_key(goes), &known);
}

/* The ways to the tail that goes can lead to the other as they are. */
static bool is_straight(const struct walk *w)
{
  return w->from == LLVMGetFirstInstruction(w->own) && !LLVMIsAPHINode(LLVMGetFirstInstruction(w->head));
}

/* Enough is done there to be worth a branch. */
static bool is_worth_it(const struct walk *w)
{
  uint32_t done = 0;
  for (uint32_t i = 0; i < w->pairs.count; i++)
    done += !alike_is_pure(w->pairs.items[i].stays) && !LLVMIsATerminatorInst(w->pairs.items[i].stays);
  return done >= (is_straight(w) ? 1 : LEAST_DONE);
}

/* The tail may begin behind some of what is only read at the beginning of its block, as values are that have been kept
   in memory. NULL: it begins nowhere further on. */
static LLVMValueRef behind_read(LLVMValueRef from)
{
  while (alike_is_pure(from))
    from = LLVMGetNextInstruction(from);
  return edit_is_plain_load(from) ? LLVMGetNextInstruction(from) : NULL;
}

/* A block that does what stands before the tail that goes, and goes on with the one that stays. */
static LLVMBasicBlockRef make_way(struct walk *w)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(w->from));
  size_t length = 0;
  char *name = coro_arena_strndup(w->arena, LLVMGetBasicBlockName(w->own), strlen(LLVMGetBasicBlockName(w->own)));
  LLVMSetValueName2(LLVMBasicBlockAsValue(w->own), "", 0);
  LLVMBasicBlockRef before = LLVMInsertBasicBlockInContext(context, w->own, name ? name : "");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, before);
  for (LLVMValueRef next, at = LLVMGetFirstInstruction(w->own); at != w->from; at = next) {
    next = LLVMGetNextInstruction(at);
    const char *own = LLVMGetValueName2(at, &length);
    name = coro_arena_strndup(w->arena, own, length);
    LLVMInstructionRemoveFromParent(at);
    LLVMInsertIntoBuilderWithName(builder, at, name ? name : "");
  }
  LLVMBuildBr(builder, w->head);
  LLVMDisposeBuilder(builder);
  for (LLVMValueRef phi = LLVMGetFirstInstruction(w->head); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    uint64_t given = 0;
    coro_map_get(&w->given, coro_map_key(phi), &given);
    LLVMValueRef value = given ? (LLVMValueRef)(uintptr_t)given : LLVMGetPoison(LLVMTypeOf(phi));
    LLVMAddIncoming(phi, &value, &before, 1);
  }
  return before;
}

/* Whoever came to the tail that goes comes to the one that stays. */
static bool replace(struct walk *w)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(w->own);
  for (uint32_t i = 0; i < w->pairs.count; i++)
    alike_forget(w->pairs.items[i].stays, w->pairs.items[i].goes);
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(w->own), LLVMBasicBlockAsValue(is_straight(w) ? w->head : make_way(w)));
  return prune_lost_edges(w->arena, function);
}

/* What the walk would look at first. */
static LLVMValueRef first_done(struct walk *w, LLVMValueRef inst)
{
  coro_map_init(&w->blocks, w->arena);
  while (LLVMIsAPHINode(inst))
    inst = LLVMGetNextInstruction(inst);
  return next_done(w, inst, false);
}

static bool may_be_alike(struct walk *w, LLVMValueRef a, LLVMValueRef b)
{
  w->left -= w->left > 0;
  return LLVMGetInstructionOpcode(a) == LLVMGetInstructionOpcode(b) && LLVMTypeOf(a) == LLVMTypeOf(b) &&
         LLVMGetNumOperands(a) == LLVMGetNumOperands(b) && !LLVMIsATerminatorInst(a);
}

/* Some other block of the function does what `block` does. False: memory ran out. */
static bool share(struct walk *w, LLVMBasicBlockRef block, const struct blocks *others, bool *changed)
{
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  bool pad = LLVMIsALandingPadInst(first); /* exceptions can lead nowhere else */
  LLVMValueRef from = LLVMIsAPHINode(first) ? NULL : first;
  for (unsigned kept = 0; from && kept < (pad ? 1 : MOST_KEPT); kept++, from = behind_read(from)) {
    LLVMValueRef begins = first_done(w, from);
    for (uint32_t b = 0; b < others->count && !is_done(w); b++)
      if (others->items[b] != block && may_be_alike(w, others->begins[b], begins) &&
          do_the_same(w, others->items[b], block, from) && is_worth_it(w) && (!pad || is_straight(w))) {
        *changed = true;
        return replace(w);
      }
  }
  return !coro_arena_failed(w->arena);
}

/* What can be reached, each block before those that it leads to alone; where there are many ways, the last come
   first. */
static bool find_blocks(struct walk *w, struct blocks *found)
{
  struct coro_map seen;
  uint64_t known;
  coro_map_init(&seen, w->arena);
  found->count = 0;
  LLVMBasicBlockRef block = w->entry;
  for (uint32_t i = 0;; block = found->items[i++]) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    for (unsigned k = LLVMGetNumSuccessors(last); k-- > 0;) {
      LLVMBasicBlockRef next = LLVMGetSuccessor(last, k);
      if (coro_map_get(&seen, coro_map_key(next), &known))
        continue;
      if (!coro_map_put(&seen, coro_map_key(next), 1) || !coro_vec_push(w->arena, found, next))
        return false;
    }
    if (i == found->count)
      break;
  }
  found->begins = CORO_NEW_ARRAY(w->arena, LLVMValueRef, found->count + 1);
  for (uint32_t i = 0; found->begins && i < found->count; i++)
    found->begins[i] = first_done(w, LLVMGetFirstInstruction(found->items[i]));
  return found->begins != NULL;
}

bool tails_share(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  struct walk w = {.arena = arena, .entry = LLVMGetEntryBasicBlock(function), .left = MOST_STEPS};
  for (bool shared = true; shared && !is_done(&w);) { /* each time there is a tail less */
    struct blocks found = {0};
    if (!find_blocks(&w, &found))
      return false;
    shared = false;
    for (uint32_t i = 0; i < found.count && !shared && !is_done(&w); i++)
      if (!share(&w, found.items[i], &found, &shared))
        return false;
    *changed = *changed || shared;
  }
  return !coro_arena_failed(arena);
}
