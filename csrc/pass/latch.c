/* A loop around a loop as one loop. `outer`, the head of one, does a little and goes to `inner`, the head of the other,
   where besides only `branch` goes, which else goes to `outer`. Control that comes to `outer` from elsewhere gets a
   copy of it; then both ways out of `branch` meet in a new block before they go on to `inner`.
   Needs: ir. Leaves: IR that verifies, given IR that did. */
#include "pass/latch.h"

#include "ir/edit.h"
#include "ir/flow.h"
#include "pass/calls.h"

enum {
  MOST_WORK = 4, /* instructions in the outer loop: as many as LLVM makes selects of, and little to have twice */
  MOST_BLOCKS = 64, /* in the inner one */
  MOST_LOOPS = 64 /* of a function */
};

typedef CORO_VEC(LLVMBasicBlockRef) block_list;

struct nest {
  struct pass_run *run;
  LLVMBasicBlockRef outer, inner, branch;
  LLVMBasicBlockRef copy; /* of outer, for control from elsewhere */
  LLVMBasicBlockRef meeting; /* before inner */
  struct coro_map copies; /* instruction of outer -> that of copy */
  LLVMBuilderRef builder;
};

static bool is_work(LLVMValueRef at)
{
  LLVMValueRef callee = LLVMIsACallInst(at) ? LLVMGetCalledValue(at) : NULL;
  if (callee)
    return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) &&
           edit_has_attribute(callee, (unsigned)LLVMAttributeFunctionIndex, "speculatable");
  return LLVMIsABinaryOperator(at) || LLVMIsACmpInst(at) || LLVMIsACastInst(at) || LLVMIsASelectInst(at) ||
         LLVMIsAGetElementPtrInst(at);
}

/* Where the block goes, if it does no more than that and a little work of which no debugger is told. */
static LLVMBasicBlockRef goes_to(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  int work = 0;
  if (!end || !flow_is_jump(end))
    return NULL;
  for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
    if (LLVMGetFirstDbgRecord(at) || (at != end && !LLVMIsAPHINode(at) && (!is_work(at) || work++ == MOST_WORK)))
      return NULL;
  }
  return work ? LLVMGetSuccessor(end, 0) : NULL;
}

/* The block that the use of another block as a value is in, if that is a branch's and no switch's. */
static LLVMBasicBlockRef comes_from(LLVMUseRef use)
{
  LLVMValueRef user = LLVMGetUser(use);
  bool branches = edit_is_instruction(user) && (flow_is_jump(user) || flow_condition(user));
  return branches ? LLVMGetInstructionParent(user) : NULL;
}

/* The one block besides `outer` that goes to `inner`. */
static LLVMBasicBlockRef other_way(LLVMBasicBlockRef outer, LLVMBasicBlockRef inner)
{
  LLVMBasicBlockRef other = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(inner)); use; use = LLVMGetNextUse(use)) {
    LLVMBasicBlockRef from = comes_from(use);
    if (!from || (from != outer && other))
      return NULL;
    other = from == outer ? other : from;
  }
  return other;
}

/* Whether control comes to the block only by way of `inner`. */
static bool is_behind(struct nest *n, LLVMBasicBlockRef block)
{
  block_list list = {0};
  struct coro_map seen;
  uint64_t known;
  coro_map_init(&seen, n->run->arena);
  if (!coro_map_put(&seen, coro_map_key(block), 1) || !coro_vec_push(n->run->arena, &list, block))
    return false; /* the arena remembers */
  for (uint32_t i = 0; i < list.count; i++) {
    LLVMBasicBlockRef at = list.items[i];
    LLVMUseRef use = at == n->inner ? NULL : LLVMGetFirstUse(LLVMBasicBlockAsValue(at));
    if (at != n->inner && (!use || list.count > MOST_BLOCKS))
      return false;
    for (; use; use = LLVMGetNextUse(use)) {
      LLVMBasicBlockRef from = comes_from(use);
      if (!from)
        return false;
      if (coro_map_get(&seen, coro_map_key(from), &known))
        continue;
      if (!coro_map_put(&seen, coro_map_key(from), 1) || !coro_vec_push(n->run->arena, &list, from))
        return false; /* the arena remembers */
    }
  }
  return true;
}

static bool goes_both_ways(const struct nest *n)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(n->branch);
  if (!flow_condition(end))
    return false;
  LLVMBasicBlockRef one = LLVMGetSuccessor(end, 0), other = LLVMGetSuccessor(end, 1);
  return (one == n->inner && other == n->outer) || (one == n->outer && other == n->inner);
}

/* Whether all that leads to `outer` are branches, and others than that of `branch` are among them. */
static bool is_entered(const struct nest *n)
{
  bool entered = false;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(n->outer)); use; use = LLVMGetNextUse(use)) {
    LLVMBasicBlockRef from = comes_from(use);
    if (!from)
      return false;
    entered |= from != n->branch;
  }
  return entered;
}

static bool find(struct nest *n, LLVMBasicBlockRef outer)
{
  n->outer = outer;
  n->inner = goes_to(outer);
  n->branch = n->inner && n->inner != outer ? other_way(outer, n->inner) : NULL;
  return n->branch && n->branch != outer && goes_both_ways(n) && is_entered(n) && is_behind(n, n->branch);
}

static LLVMValueRef copy_of(const struct nest *n, LLVMValueRef value)
{
  uint64_t copy;
  bool has = coro_map_get(&n->copies, coro_map_key(value), &copy);
  return has ? (LLVMValueRef)(uintptr_t)copy : value;
}

static LLVMValueRef add_phi(struct nest *n, LLVMBasicBlockRef block, LLVMValueRef like)
{
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  if (first)
    LLVMPositionBuilderBeforeInstrAndDbgRecords(n->builder, first);
  else
    LLVMPositionBuilderAtEnd(n->builder, block);
  LLVMSetCurrentDebugLocation2(n->builder, NULL);
  return LLVMBuildPhi(n->builder, LLVMTypeOf(like), "");
}

static void add_incoming(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from)
{
  LLVMAddIncoming(phi, &value, &from, 1);
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
  unsigned i = 0;
  while (LLVMGetIncomingBlock(phi, i) != from)
    i++;
  return LLVMGetIncomingValue(phi, i);
}

/* Of the head of a loop, without what comes from its `branch`. */
static LLVMValueRef copy_phi(struct nest *n, LLVMValueRef phi)
{
  LLVMPositionBuilderAtEnd(n->builder, n->copy);
  LLVMValueRef copy = LLVMBuildPhi(n->builder, LLVMTypeOf(phi), "");
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingBlock(phi, i) != n->branch)
      add_incoming(copy, LLVMGetIncomingValue(phi, i), LLVMGetIncomingBlock(phi, i));
  return copy;
}

static bool copy_outer(struct nest *n)
{
  n->copy = LLVMInsertBasicBlockInContext(n->run->context, n->inner, "");
  for (LLVMValueRef at = LLVMGetFirstInstruction(n->outer); at; at = LLVMGetNextInstruction(at)) {
    LLVMValueRef copy = LLVMIsAPHINode(at) ? copy_phi(n, at) : LLVMInstructionClone(at);
    if (!LLVMIsAPHINode(at)) {
      LLVMPositionBuilderAtEnd(n->builder, n->copy);
      LLVMInsertIntoBuilder(n->builder, copy);
    }
    for (int i = 0; i < LLVMGetNumOperands(copy) && !LLVMIsAPHINode(at); i++)
      LLVMSetOperand(copy, (unsigned)i, copy_of(n, LLVMGetOperand(copy, (unsigned)i)));
    if (!coro_map_put(&n->copies, coro_map_key(at), (uint64_t)(uintptr_t)copy))
      return false;
  }
  return true;
}

/* What `inner` begins with: `entered` where control comes from the copy, else `again` or `worked`, as it comes from
   `branch` or has been through `outer`. `again` NULL: the value itself. */
static LLVMValueRef merge(struct nest *n, LLVMValueRef entered, LLVMValueRef again, LLVMValueRef worked)
{
  LLVMValueRef meets = add_phi(n, n->meeting, entered), begins = add_phi(n, n->inner, entered);
  add_incoming(begins, entered, n->copy);
  add_incoming(begins, meets, n->meeting);
  add_incoming(meets, again ? again : begins, n->branch);
  add_incoming(meets, worked, n->outer);
  return begins;
}

/* `outer` no longer lies on every way to what uses its value elsewhere, debug records too; `inner` does. Without such a
   use the phis are in vain, and whoever simplifies the loop drops them. */
static void hand_on(struct nest *n, LLVMValueRef value)
{
  LLVMValueRef here = add_phi(n, n->outer, value); /* stands for it in `outer`, while all else is told of another */
  for (LLVMValueRef at = LLVMGetFirstInstruction(n->outer); at; at = LLVMGetNextInstruction(at))
    for (int i = 0; i < LLVMGetNumOperands(at) && !LLVMIsAPHINode(at); i++)
      if (LLVMGetOperand(at, (unsigned)i) == value)
        LLVMSetOperand(at, (unsigned)i, here);
  LLVMValueRef begins = merge(n, copy_of(n, value), NULL, here);
  LLVMReplaceAllUsesWith(value, begins);
  edit_replace(here, value);
}

static void redirect(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
    if (LLVMGetSuccessor(end, i) == from)
      LLVMSetSuccessor(end, i, to);
}

static bool enter_copy(struct nest *n)
{
  block_list list = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(n->outer)); use; use = LLVMGetNextUse(use))
    if (comes_from(use) != n->branch && !coro_vec_push(n->run->arena, &list, comes_from(use)))
      return false;
  for (uint32_t i = 0; i < list.count; i++)
    redirect(list.items[i], n->outer, n->copy);
  return true;
}

static bool join(struct nest *n)
{
  pass_values values = {0}, heads = {0}, worked = {0}; /* heads of `inner`, and what they begin with behind `outer` */
  for (LLVMValueRef at = LLVMGetFirstInstruction(n->inner); at && LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at))
    if (!coro_vec_push(n->run->arena, &heads, at) || !coro_vec_push(n->run->arena, &worked, incoming(at, n->outer)))
      return false;
  for (LLVMValueRef at = LLVMGetFirstInstruction(n->outer); at; at = LLVMGetNextInstruction(at))
    if (!LLVMIsATerminatorInst(at) && !coro_vec_push(n->run->arena, &values, at))
      return false;
  coro_map_init(&n->copies, n->run->arena);
  if (!copy_outer(n) || !enter_copy(n))
    return false;
  n->meeting = LLVMInsertBasicBlockInContext(n->run->context, n->inner, "");
  LLVMPositionBuilderAtEnd(n->builder, n->meeting);
  LLVMBuildBr(n->builder, n->inner);
  for (uint32_t i = 0; i < values.count; i++)
    hand_on(n, values.items[i]);
  for (uint32_t i = 0; i < heads.count; i++) {
    LLVMValueRef again = incoming(heads.items[i], n->branch);
    edit_replace(heads.items[i], merge(n, copy_of(n, worked.items[i]), again, worked.items[i]));
  }
  redirect(n->outer, n->inner, n->meeting);
  redirect(n->branch, n->inner, n->meeting);
  for (uint32_t i = 0; i < values.count && LLVMIsAPHINode(values.items[i]); i++)
    edit_replace(values.items[i], incoming(values.items[i], n->branch));
  return true;
}

bool latch_join(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct nest n = {.run = run, .builder = LLVMCreateBuilderInContext(run->context)};
  bool fine = true;
  int loops = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && fine && loops < MOST_LOOPS;
       b = LLVMGetNextBasicBlock(b)) {
    if (!find(&n, b))
      continue;
    fine = join(&n);
    *changed = true;
    loops++;
  }
  LLVMDisposeBuilder(n.builder);
  return fine && !coro_arena_failed(run->arena);
}
