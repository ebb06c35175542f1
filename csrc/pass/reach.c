/* Reach: the instructions that control may come to from some of a function's, or between two of them.
   Needs: ir, parts. Leaves: the function as it was. */
#include "pass/reach.h"

#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"

void reach_init(struct reach *reach, struct pass_run *run, LLVMValueRef function)
{
  *reach = (struct reach){.run = run, .function = function};
  coro_map_init(&reach->found, run->arena);
}

/* The constant that a value is where its coroutine suspends; NULL: it is not known. An optimiser makes a switch of one
   case a comparison and a branch. */
static LLVMValueRef where_it_suspends(const struct pass_run *run, LLVMValueRef value, LLVMValueRef *suspend)
{
  if (LLVMIsAConstantInt(value))
    return value;
  if (intrin_of(run->intrin, value) == INTRIN_SUSPEND) {
    *suspend = value;
    return LLVMConstInt(LLVMTypeOf(value), UINT64_MAX, true);
  }
  if (!LLVMIsAICmpInst(value) || LLVMIsAICmpInst(LLVMGetOperand(value, COMPARE_LEFT)) ||
      LLVMIsAICmpInst(LLVMGetOperand(value, COMPARE_RIGHT)))
    return NULL;
  LLVMValueRef left = where_it_suspends(run, LLVMGetOperand(value, COMPARE_LEFT), suspend);
  LLVMValueRef right = where_it_suspends(run, LLVMGetOperand(value, COMPARE_RIGHT), suspend);
  return left && right ? edit_compare(LLVMGetICmpPredicate(value), left, right) : NULL;
}

unsigned reach_suspends(const struct pass_run *run, LLVMValueRef terminator, LLVMValueRef *suspend)
{
  LLVMValueRef asked = flow_chooses_by(terminator);
  *suspend = NULL;
  LLVMValueRef known = asked ? where_it_suspends(run, asked, suspend) : NULL;
  return known && *suspend ? flow_way(terminator, known) + 1 : 0;
}

bool reach_suspending(struct reach *reach, LLVMValueRef suspend)
{
  LLVMValueRef behind = LLVMGetNextInstruction(suspend), end = behind, asks;
  while (LLVMIsAICmpInst(end))
    end = LLVMGetNextInstruction(end);
  unsigned way = reach_suspends(reach->run, end, &asks);
  return reach_from(reach, way && asks == suspend ? LLVMGetFirstInstruction(LLVMGetSuccessor(end, way - 1)) : behind);
}

bool reach_has(const struct reach *reach, LLVMValueRef instruction)
{
  uint64_t found;
  return coro_map_get(&reach->found, coro_map_key(instruction), &found);
}

static bool is_own_begin(const struct reach *reach, LLVMValueRef at)
{
  enum intrin intrin = intrin_of(reach->run->intrin, at);
  return (intrin == INTRIN_BEGIN || intrin == INTRIN_BEGIN_CUSTOM_ABI) &&
         parts_is_own(reach->run, reach->function, LLVMGetOperand(at, BEGIN_ID));
}

/* Finds those up to the end of the block. The end; NULL: control does not come there, or has before. */
static LLVMValueRef run_through(struct reach *reach, LLVMValueRef at, bool *fine)
{
  LLVMValueRef end = NULL;
  for (; at && *fine && !reach_has(reach, at); at = LLVMGetNextInstruction(at)) {
    *fine = coro_map_put(&reach->found, coro_map_key(at), 1);
    if (reach->to_begin && is_own_begin(reach, at))
      return NULL;
    end = at;
  }
  return at ? NULL : end;
}

bool reach_from(struct reach *reach, LLVMValueRef first)
{
  struct coro_arena *arena = reach->found.arena;
  CORO_VEC(LLVMValueRef) stack = {0};
  bool fine = coro_vec_push(arena, &stack, first);
  while (stack.count && fine) {
    LLVMValueRef end = run_through(reach, stack.items[--stack.count], &fine);
    if (!end)
      continue;
    LLVMValueRef condition = flow_condition(end);
    bool skip = reach->given_frame && condition && intrin_of(reach->run->intrin, condition) == INTRIN_ALLOC;
    reach->returns = LLVMIsAReturnInst(end) ? end : reach->returns;
    for (unsigned i = skip; i < LLVMGetNumSuccessors(end) && fine; i++)
      fine = coro_vec_push(arena, &stack, LLVMGetFirstInstruction(LLVMGetSuccessor(end, i)));
  }
  return fine;
}

bool reach_between(struct reach *reach, LLVMValueRef first, LLVMValueRef last)
{
  struct coro_arena *arena = reach->found.arena;
  CORO_VEC(LLVMValueRef) stack = {0};
  bool fine = coro_vec_push(arena, &stack, last);
  while (stack.count && fine) {
    LLVMValueRef from = stack.items[--stack.count], at = from == last ? LLVMGetPreviousInstruction(last) : from;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(from);
    for (; at && at != first && !reach_has(reach, at) && fine; at = LLVMGetPreviousInstruction(at))
      fine = coro_map_put(&reach->found, coro_map_key(at), 1);
    LLVMUseRef use = at ? NULL : LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    for (; use && fine; use = LLVMGetNextUse(use))
      if (edit_is_instruction(LLVMGetUser(use)))
        fine = coro_vec_push(arena, &stack, LLVMGetUser(use));
  }
  return fine;
}
