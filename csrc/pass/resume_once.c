/* Resuming once: calls with which several ways to a block end become one call on the way there.
   Needs: ir. Leaves: IR that verifies, given IR that did. */
#include "pass/resume_once.h"

#include "base/map.h"
#include "ir/alike.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "llvm-c/DebugInfo.h"
#include "pass/parts.h"

struct way {
  LLVMValueRef call;      /* what it ends with: an invoke, or a call and a jump */
  LLVMBasicBlockRef from; /* the block of that */
  LLVMBasicBlockRef last; /* where it comes from: the same, or an empty one behind the invoke */
};

enum { MOST_CALLS = 8 }; /* that differ, on ways to one block */

struct merger {
  struct pass_run *run;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef to, meeting;
  CORO_VEC(struct way) left, ways; /* to the block: those to be looked at, and such as end with the same call */
  struct coro_map by, by_pad; /* block that a way comes by, and landing pad that is its own -> way */
  LLVMValueRef *values;       /* by way: what the phi at hand chooses by it */
};

/* ---- Which ---- */

static bool is_kept_apart(LLVMValueRef call, LLVMValueRef callee)
{
  static const char *const names[] = {"convergent", "noduplicate", "nomerge"};
  bool apart = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    apart |=
        edit_call_has_attribute(call, names[i]) || edit_has_attribute(callee, LLVMAttributeFunctionIndex, names[i]);
  return apart;
}

/* What resumes a coroutine whose frame is a variable is a call of its resume function with nothing but that. Those
   of its other parts look alike, and are as well made once. */
static bool resumes(LLVMValueRef call)
{
  LLVMValueRef callee = call && edit_is_call(call) ? LLVMGetCalledValue(call) : NULL;
  return callee && LLVMIsAFunction(callee) && edit_is_local(callee) && LLVMGetNumArgOperands(call) == 1 &&
         LLVMIsAAllocaInst(LLVMGetOperand(call, PART_FRAME)) && LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind &&
         (LLVMIsAInvokeInst(call) || LLVMGetTailCallKind(call) != LLVMTailCallKindMustTail) &&
         !is_kept_apart(call, callee);
}

/* The one block that goes there; NULL: none, or several. */
static LLVMBasicBlockRef only_from(LLVMBasicBlockRef block)
{
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
  LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
  return user && edit_is_instruction(user) ? LLVMGetInstructionParent(user) : NULL;
}

/* The way by which the terminator comes to the block. */
static struct way way_by(LLVMValueRef end, LLVMBasicBlockRef to)
{
  struct way way = {.from = LLVMGetInstructionParent(end)};
  way.last = way.from;
  if (LLVMIsAInvokeInst(end)) {
    way.call = LLVMGetNormalDest(end) == to ? end : NULL;
    return way;
  }
  if (!flow_is_jump(end))
    return way;
  way.call = LLVMGetPreviousInstruction(end);
  LLVMBasicBlockRef before = way.call ? NULL : only_from(way.from);
  LLVMValueRef invoke = before ? LLVMGetBasicBlockTerminator(before) : NULL;
  if (invoke && LLVMIsAInvokeInst(invoke) && LLVMGetNormalDest(invoke) == way.from) {
    way.call = invoke;
    way.from = before;
  }
  return way;
}

/* Where an exception goes that the invoke has left, and that nobody else comes by: a landing pad, and on to there. */
static LLVMBasicBlockRef lands_for(LLVMValueRef invoke)
{
  LLVMBasicBlockRef pad = LLVMGetUnwindDest(invoke);
  LLVMValueRef end = LLVMGetBasicBlockTerminator(pad), lands = LLVMGetPreviousInstruction(end);
  bool plain = flow_is_jump(end) && lands && LLVMIsALandingPadInst(lands) && lands == LLVMGetFirstInstruction(pad);
  return plain && only_from(pad) ? LLVMGetSuccessor(end, 0) : NULL;
}

static bool have_same_operands(LLVMValueRef one, LLVMValueRef other, int count)
{
  for (int i = 0; i < count; i++)
    if (LLVMGetOperand(one, (unsigned)i) != LLVMGetOperand(other, (unsigned)i))
      return false;
  return true;
}

static bool land_alike(LLVMValueRef one, LLVMValueRef other)
{
  LLVMBasicBlockRef pad = LLVMGetUnwindDest(one), others = LLVMGetUnwindDest(other);
  if (pad == others)
    return true;
  LLVMBasicBlockRef to = lands_for(one);
  LLVMValueRef lands = LLVMGetFirstInstruction(pad), others_lands = LLVMGetFirstInstruction(others);
  int count = to ? LLVMGetNumOperands(lands) : 0;
  return to && to == lands_for(other) && alike_in_full(lands, others_lands) &&
         LLVMGetNumOperands(others_lands) == count && have_same_operands(lands, others_lands, count);
}

static bool are_the_same(LLVMValueRef one, LLVMValueRef other)
{
  return alike_in_full(one, other) && LLVMGetCalledValue(one) == LLVMGetCalledValue(other) &&
         have_same_operands(one, other, 1) && (!LLVMIsAInvokeInst(one) || land_alike(one, other));
}

/* Ways to the block that end with a call that may be one of several. */
static bool list_ways(struct merger *m, LLVMBasicBlockRef to)
{
  m->to = to;
  m->left.count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(to)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef end = LLVMGetUser(use);
    struct way way = edit_is_instruction(end) ? way_by(end, to) : (struct way){0};
    if (resumes(way.call) && !coro_vec_push(m->run->arena, &m->left, way))
      return false;
  }
  return true;
}

/* Of those that are left the first, and those with the same call. */
static bool take_ways(struct merger *m)
{
  LLVMValueRef first = m->left.items[0].call;
  uint32_t left = 0;
  m->ways.count = 0;
  for (uint32_t w = 0; w < m->left.count; w++) {
    struct way way = m->left.items[w];
    if (w && !are_the_same(first, way.call))
      m->left.items[left++] = way;
    else if (!coro_vec_push(m->run->arena, &m->ways, way))
      return false;
  }
  m->left.count = left;
  return true;
}

/* ---- As one ---- */

static LLVMBasicBlockRef pad_of(const struct way *way)
{
  return LLVMIsAInvokeInst(way->call) ? LLVMGetUnwindDest(way->call) : NULL;
}

/* Whether each way has a landing pad to itself; if not, they share one, or have none. */
static bool have_own_pads(const struct merger *m)
{
  LLVMBasicBlockRef pad = pad_of(&m->ways.items[0]);
  return pad && pad != pad_of(&m->ways.items[1]);
}

static bool number_ways(struct merger *m)
{
  struct coro_arena *arena = m->run->arena;
  coro_map_init(&m->by, arena);
  coro_map_init(&m->by_pad, arena);
  m->values = CORO_NEW_ARRAY(arena, LLVMValueRef, m->ways.count);
  bool fine = m->values;
  for (uint32_t w = 0; w < m->ways.count && fine; w++) {
    const struct way *way = &m->ways.items[w];
    fine = coro_map_put(&m->by, coro_map_key(way->from), w) && coro_map_put(&m->by, coro_map_key(way->last), w) &&
           (!have_own_pads(m) || coro_map_put(&m->by_pad, coro_map_key(pad_of(way)), w));
  }
  return fine;
}

/* Finds what the phi chooses by the ways that `by` numbers, and has `others`, if given, choose the rest. */
static void take_apart(struct merger *m, LLVMValueRef phi, const struct coro_map *by, LLVMValueRef others)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    uint64_t way = 0;
    if (coro_map_get(by, coro_map_key(from), &way))
      m->values[way] = value;
    else if (others)
      LLVMAddIncoming(others, &value, &from, 1);
  }
}

/* How many of the values are the exception that has landed on that way. */
static uint32_t count_exceptions(const struct merger *m)
{
  uint32_t count = 0;
  for (uint32_t w = 0; w < m->ways.count && have_own_pads(m); w++)
    count += m->values[w] == LLVMGetFirstInstruction(pad_of(&m->ways.items[w]));
  return count;
}

/* What is known of the exception is used alike where the landing pads go on to. */
static bool hand_on_alike(struct merger *m)
{
  LLVMValueRef phi = have_own_pads(m) ? LLVMGetFirstInstruction(lands_for(m->ways.items[0].call)) : NULL;
  for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    take_apart(m, phi, &m->by_pad, NULL);
    uint32_t count = count_exceptions(m);
    if (count && count != m->ways.count)
      return false;
  }
  return true;
}

/* What the values are behind the meeting. */
static LLVMValueRef met(struct merger *m)
{
  bool same = true;
  for (uint32_t w = 1; w < m->ways.count; w++)
    same &= m->values[w] == m->values[0];
  if (same || count_exceptions(m)) /* of the pads the first is left */
    return m->values[0];
  LLVMPositionBuilderAtEnd(m->builder, m->meeting);
  LLVMSetCurrentDebugLocation2(m->builder, NULL);
  LLVMValueRef meets = LLVMBuildPhi(m->builder, LLVMTypeOf(m->values[0]), "");
  for (uint32_t w = 0; w < m->ways.count; w++)
    LLVMAddIncoming(meets, &m->values[w], &m->ways.items[w].from, 1);
  return meets;
}

/* Phis of the block that choose by the ways that `by` numbers do so by one block, `only`. */
static void choose_by(struct merger *m, LLVMBasicBlockRef in, const struct coro_map *by, LLVMBasicBlockRef only)
{
  LLVMValueRef next, phi = LLVMGetFirstInstruction(in);
  for (; LLVMIsAPHINode(phi); phi = next) {
    next = LLVMGetNextInstruction(phi);
    LLVMPositionBuilderBefore(m->builder, phi);
    LLVMSetCurrentDebugLocation2(m->builder, LLVMInstructionGetDebugLoc(phi));
    LLVMValueRef fewer = LLVMBuildPhi(m->builder, LLVMTypeOf(phi), "");
    take_apart(m, phi, by, fewer);
    LLVMValueRef value = met(m);
    LLVMAddIncoming(fewer, &value, &only, 1);
    edit_take_name(m->run->arena, fewer, phi);
    edit_replace(phi, fewer);
  }
}

/* Where it is in the source: nowhere, if the calls were in several places. */
static LLVMMetadataRef place(const struct merger *m)
{
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(m->ways.items[0].call);
  for (uint32_t w = 1; w < m->ways.count; w++)
    if (at && LLVMInstructionGetDebugLoc(m->ways.items[w].call) != at)
      return LLVMDIBuilderCreateDebugLocation(m->run->context, 0, 0, LLVMDILocationGetScope(at),
                                              LLVMDILocationGetInlinedAt(at));
  return at;
}

static void drop(LLVMBasicBlockRef block)
{
  edit_sever(block);
  LLVMDeleteBasicBlock(block);
}

/* The way ends before its call, and goes to the meeting. */
static void lead(struct merger *m, const struct way *way, LLVMBasicBlockRef kept_pad)
{
  LLVMBasicBlockRef pad = pad_of(way);
  if (pad) {
    edit_before(m->builder, way->call);
    LLVMBuildBr(m->builder, m->meeting);
  } else {
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(way->from), 0, m->meeting);
  }
  LLVMInstructionEraseFromParent(way->call);
  if (way->last != way->from)
    drop(way->last);
  if (pad != kept_pad)
    drop(pad);
}

/* At the end of the meeting. */
static void call_once(struct merger *m, LLVMValueRef like, LLVMMetadataRef at)
{
  LLVMValueRef call = LLVMInstructionClone(like);
  LLVMPositionBuilderAtEnd(m->builder, m->meeting);
  LLVMSetCurrentDebugLocation2(m->builder, at);
  LLVMInsertIntoBuilder(m->builder, call);
  LLVMInstructionSetDebugLoc(call, at);
  if (LLVMIsAInvokeInst(call))
    LLVMSetNormalDest(call, m->to);
  else
    LLVMBuildBr(m->builder, m->to);
}

static void merge(struct merger *m)
{
  const struct way *first = m->ways.items;
  LLVMBasicBlockRef pad = pad_of(first);
  m->meeting = LLVMInsertBasicBlockInContext(m->run->context, m->to, "");
  choose_by(m, m->to, &m->by, m->meeting);
  if (have_own_pads(m))
    choose_by(m, lands_for(first->call), &m->by_pad, pad);
  else if (pad)
    choose_by(m, pad, &m->by, m->meeting);
  call_once(m, first->call, place(m));
  for (uint32_t w = 0; w < m->ways.count; w++)
    lead(m, &m->ways.items[w], pad);
}

static bool resume_at(struct merger *m, LLVMBasicBlockRef to, bool *merged)
{
  bool fine = list_ways(m, to);
  *merged = false;
  for (int i = 0; i < MOST_CALLS && m->left.count > 1 && fine; i++) {
    fine = take_ways(m) && (m->ways.count < 2 || number_ways(m));
    if (!fine || m->ways.count < 2 || !hand_on_alike(m))
      continue;
    merge(m);
    *merged = true;
  }
  return fine;
}

bool resume_once(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct merger m = {.run = run, .builder = LLVMCreateBuilderInContext(run->context)};
  bool fine = true, merged;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && fine; b = LLVMGetNextBasicBlock(b))
    do { /* a landing pad that ways shared may be one's own then */
      fine = resume_at(&m, b, &merged);
      *changed |= merged;
    } while (fine && merged);
  LLVMDisposeBuilder(m.builder);
  return fine && !coro_arena_failed(run->arena);
}
