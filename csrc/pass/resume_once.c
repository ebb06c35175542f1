/* Resuming once: calls with which several ways to a block end become one call on the way there.
   Needs: ir. Leaves: IR that verifies, given IR that did. */
#include "pass/resume_once.h"

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

struct merger {
  struct pass_run *run;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef to, meeting;
  CORO_VEC(struct way) ways;
};

/* ---- Which ---- */

/* What resumes a coroutine whose frame is a variable is a call of its resume function with nothing but that. Those
   of its other parts look alike, and are as well made once. */
static bool resumes(LLVMValueRef call)
{
  LLVMValueRef callee = call && edit_is_call(call) ? LLVMGetCalledValue(call) : NULL;
  return callee && LLVMIsAFunction(callee) && edit_is_local(callee) && LLVMGetNumArgOperands(call) == 1 &&
         LLVMIsAAllocaInst(LLVMGetOperand(call, PART_FRAME)) && LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind &&
         (LLVMIsAInvokeInst(call) || LLVMGetTailCallKind(call) != LLVMTailCallKindMustTail) &&
         !edit_call_has_attribute(call, "convergent") && !edit_call_has_attribute(call, "noduplicate");
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

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
  unsigned i = 0;
  while (LLVMGetIncomingBlock(phi, i) != from)
    i++;
  return LLVMGetIncomingValue(phi, i);
}

/* What is known of the exception is used alike where the landing pads go on to. */
static bool hand_on_alike(LLVMBasicBlockRef to, LLVMBasicBlockRef pad, LLVMBasicBlockRef others)
{
  for (LLVMValueRef phi = LLVMGetFirstInstruction(to); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
    if ((incoming(phi, pad) == LLVMGetFirstInstruction(pad)) !=
        (incoming(phi, others) == LLVMGetFirstInstruction(others)))
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
         LLVMGetNumOperands(others_lands) == count && have_same_operands(lands, others_lands, count) &&
         hand_on_alike(to, pad, others);
}

static bool are_the_same(LLVMValueRef one, LLVMValueRef other)
{
  return alike_in_full(one, other) && LLVMGetCalledValue(one) == LLVMGetCalledValue(other) &&
         have_same_operands(one, other, 1) && (!LLVMIsAInvokeInst(one) || land_alike(one, other));
}

/* Ways to the block that end with the same call as the first that does. */
static bool find_ways(struct merger *m, LLVMBasicBlockRef to)
{
  m->to = to;
  m->ways.count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(to)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef end = LLVMGetUser(use);
    struct way way = edit_is_instruction(end) ? way_by(end, to) : (struct way){0};
    bool same = resumes(way.call) && (!m->ways.count || are_the_same(m->ways.items[0].call, way.call));
    if (same && !coro_vec_push(m->run->arena, &m->ways, way))
      return false;
  }
  return true;
}

/* ---- As one ---- */

typedef LLVMBasicBlockRef block_of_way(const struct way *way);

static LLVMBasicBlockRef its_last(const struct way *way)
{
  return way->last;
}

static LLVMBasicBlockRef its_own(const struct way *way)
{
  return way->from;
}

static LLVMBasicBlockRef its_pad(const struct way *way)
{
  return LLVMGetUnwindDest(way->call);
}

/* What the phi is behind the meeting, as far as it is what it was by way of these blocks. */
static LLVMValueRef met(struct merger *m, LLVMValueRef phi, block_of_way *block)
{
  LLVMValueRef first = incoming(phi, block(&m->ways.items[0]));
  bool same = true, lands = block == its_pad;
  for (uint32_t w = 0; w < m->ways.count; w++) {
    LLVMValueRef value = incoming(phi, block(&m->ways.items[w]));
    same &= value == first;
    lands &= value == LLVMGetFirstInstruction(block(&m->ways.items[w]));
  }
  if (same || lands) /* of the pads the first is left */
    return first;
  LLVMPositionBuilderAtEnd(m->builder, m->meeting);
  LLVMSetCurrentDebugLocation2(m->builder, NULL);
  LLVMValueRef meets = LLVMBuildPhi(m->builder, LLVMTypeOf(phi), "");
  for (uint32_t w = 0; w < m->ways.count; w++) {
    LLVMValueRef value = incoming(phi, block(&m->ways.items[w]));
    LLVMAddIncoming(meets, &value, &m->ways.items[w].from, 1);
  }
  return meets;
}

static bool is_of_way(const struct merger *m, LLVMBasicBlockRef from, block_of_way *block)
{
  bool is = false;
  for (uint32_t w = 0; w < m->ways.count; w++)
    is |= block(&m->ways.items[w]) == from;
  return is;
}

/* Phis of the block that choose by these blocks do so by one, `by`. */
static void choose_by(struct merger *m, LLVMBasicBlockRef in, block_of_way *block, LLVMBasicBlockRef by)
{
  LLVMValueRef next, phi = LLVMGetFirstInstruction(in);
  for (; LLVMIsAPHINode(phi); phi = next) {
    next = LLVMGetNextInstruction(phi);
    LLVMValueRef value = met(m, phi, block);
    LLVMPositionBuilderBefore(m->builder, phi);
    LLVMSetCurrentDebugLocation2(m->builder, LLVMInstructionGetDebugLoc(phi));
    LLVMValueRef fewer = LLVMBuildPhi(m->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
      LLVMValueRef same = LLVMGetIncomingValue(phi, i);
      if (!is_of_way(m, from, block))
        LLVMAddIncoming(fewer, &same, &from, 1);
    }
    LLVMAddIncoming(fewer, &value, &by, 1);
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
  LLVMBasicBlockRef pad = LLVMIsAInvokeInst(way->call) ? LLVMGetUnwindDest(way->call) : NULL;
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
  LLVMBasicBlockRef pad = LLVMIsAInvokeInst(first->call) ? LLVMGetUnwindDest(first->call) : NULL;
  m->meeting = LLVMInsertBasicBlockInContext(m->run->context, m->to, "");
  choose_by(m, m->to, its_last, m->meeting);
  if (pad && pad == LLVMGetUnwindDest(first[1].call)) /* then it is that of them all */
    choose_by(m, pad, its_own, m->meeting);
  else if (pad)
    choose_by(m, lands_for(first->call), its_pad, pad);
  call_once(m, first->call, place(m));
  for (uint32_t w = 0; w < m->ways.count; w++)
    lead(m, &m->ways.items[w], pad);
}

bool resume_once(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct merger m = {.run = run, .builder = LLVMCreateBuilderInContext(run->context)};
  bool fine = true;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && fine; b = LLVMGetNextBasicBlock(b)) {
    fine = find_ways(&m, b);
    if (!fine || m.ways.count < 2)
      continue;
    merge(&m);
    *changed = true;
  }
  LLVMDisposeBuilder(m.builder);
  return fine && !coro_arena_failed(run->arena);
}
