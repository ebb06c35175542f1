/* Tail merging of resume calls: paths to a block that end in the same resume call are joined before a single call.
   Requires: ir.
   Guarantees: valid IR. */
#include "pass/merge_resume_calls.h"

#include "base/map.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/identical_instruction.h"
#include "llvm-c/DebugInfo.h"
#include "pass/clones.h"

struct way {
  LLVMValueRef call;      /* the last instruction on the path: an invoke, or a call followed by a branch */
  LLVMBasicBlockRef from; /* the call's block */
  LLVMBasicBlockRef last; /* the predecessor block: the same, or an empty block after the invoke */
};

enum { MOST_CALLS = 8 }; /* distinct calls on paths to one block */

struct merger {
  struct pass_run *run;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef to, meeting;
  CORO_VEC(struct way) left, ways; /* paths to the block: not yet processed, and those that end in the current call */
  struct coro_map by, by_pad; /* predecessor block, and exclusive landing pad -> path */
  LLVMValueRef *values;       /* indexed by path: incoming value of the current phi */
};

/* ---- Candidates ---- */

static bool is_kept_apart(LLVMValueRef call, LLVMValueRef callee)
{
  static const char *const names[] = {"convergent", "noduplicate", "nomerge"};
  bool apart = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    apart |=
        edit_call_has_attribute(call, names[i]) || edit_has_attribute(callee, LLVMAttributeFunctionIndex, names[i]);
  return apart;
}

/* Whether the call resumes a coroutine whose frame is an alloca: a direct call with the frame as only argument.
   Calls of other clones look the same, and may be merged as well. */
static bool resumes(LLVMValueRef call)
{
  LLVMValueRef callee = call && edit_is_call(call) ? LLVMGetCalledValue(call) : NULL;
  return callee && LLVMIsAFunction(callee) && edit_has_local_linkage(callee) && LLVMGetNumArgOperands(call) == 1 &&
         LLVMIsAAllocaInst(LLVMGetOperand(call, CLONE_FRAME)) &&
         LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind &&
         (LLVMIsAInvokeInst(call) || LLVMGetTailCallKind(call) != LLVMTailCallKindMustTail) &&
         !is_kept_apart(call, callee);
}

/* The only predecessor; NULL: none, or several. */
static LLVMBasicBlockRef only_from(LLVMBasicBlockRef block)
{
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
  LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
  return user && edit_is_instruction(user) ? LLVMGetInstructionParent(user) : NULL;
}

/* The path by which the terminator reaches the block. */
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

/* The block after an exclusive landing pad of the invoke. */
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
  return to && to == lands_for(other) && is_identical_instruction(lands, others_lands) &&
         LLVMGetNumOperands(others_lands) == count && have_same_operands(lands, others_lands, count);
}

static bool are_the_same(LLVMValueRef one, LLVMValueRef other)
{
  return is_identical_instruction(one, other) && LLVMGetCalledValue(one) == LLVMGetCalledValue(other) &&
         have_same_operands(one, other, 1) && (!LLVMIsAInvokeInst(one) || land_alike(one, other));
}

/* Lists the paths to the block that end in a candidate call. */
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

/* Selects the first remaining path, and those with the same call. */
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

/* ---- Merging ---- */

static LLVMBasicBlockRef pad_of(const struct way *way)
{
  return LLVMIsAInvokeInst(way->call) ? LLVMGetUnwindDest(way->call) : NULL;
}

/* Whether each path has an exclusive landing pad; otherwise they share one, or have none. */
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

/* Collects the phi's incoming values for the paths in `by`, and adds the other entries to `others`, if given. */
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

/* The number of values that are the exception of their path's landing pad. */
static uint32_t count_exceptions(const struct merger *m)
{
  uint32_t count = 0;
  for (uint32_t w = 0; w < m->ways.count && have_own_pads(m); w++)
    count += m->values[w] == LLVMGetFirstInstruction(pad_of(&m->ways.items[w]));
  return count;
}

/* Whether the successors of the landing pads use the exceptions in the same way. */
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

/* The merged value of a phi after the merge block. */
static LLVMValueRef met(struct merger *m)
{
  bool same = true;
  for (uint32_t w = 1; w < m->ways.count; w++)
    same &= m->values[w] == m->values[0];
  if (same || count_exceptions(m)) /* the first of the pads remains */
    return m->values[0];
  LLVMPositionBuilderAtEnd(m->builder, m->meeting);
  LLVMSetCurrentDebugLocation2(m->builder, NULL);
  LLVMValueRef meets = LLVMBuildPhi(m->builder, LLVMTypeOf(m->values[0]), "");
  for (uint32_t w = 0; w < m->ways.count; w++)
    LLVMAddIncoming(meets, &m->values[w], &m->ways.items[w].from, 1);
  return meets;
}

/* Replaces the phi entries of the paths in `by` by one entry for the block `only`. */
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

/* Debug location of the merged call: line 0 if the locations differ. */
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
  edit_detach_block(block);
  LLVMDeleteBasicBlock(block);
}

/* Ends the path before its call, with a branch to the merge block. */
static void lead(struct merger *m, const struct way *way, LLVMBasicBlockRef kept_pad)
{
  LLVMBasicBlockRef pad = pad_of(way);
  if (pad) {
    edit_insert_before(m->builder, way->call);
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

/* Builds the call at the end of the merge block. */
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
    do { /* a landing pad may have become exclusive */
      fine = resume_at(&m, b, &merged);
      *changed |= merged;
    } while (fine && merged);
  LLVMDisposeBuilder(m.builder);
  return fine && !coro_arena_failed(run->arena);
}
