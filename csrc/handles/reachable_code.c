/* Depth-first searches over instructions, forward and backward. */
#include "handles/reachable_code.h"

#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"

void reachable_init(struct reachable *reach, struct pass_run *run, LLVMValueRef function)
{
  *reach = (struct reachable){.run = run, .function = function};
  coro_map_init(&reach->found, run->arena);
}

/* The suspend that alone decides a terminator's successor; NULL: none. */
static LLVMValueRef suspend_deciding_successor_or_null(const struct pass_run *run, LLVMValueRef terminator)
{
  LLVMValueRef source = constant_successor_single_source_or_null(terminator);
  return source && intrin_of_call(run->intrin, source) == INTRIN_SUSPEND ? source : NULL;
}

unsigned successor_for_suspend_result_or_unknown(const struct pass_run *run, LLVMValueRef terminator, int result)
{
  LLVMValueRef suspend = suspend_deciding_successor_or_null(run, terminator);
  if (!suspend)
    return CONSTANT_SUCCESSOR_UNKNOWN;
  LLVMValueRef constant = LLVMConstInt(LLVMTypeOf(suspend), (unsigned long long)(long long)result, true);
  return constant_successor_or_unknown(terminator, suspend, constant);
}

bool reachable_add_when_suspending(struct reachable *reach, LLVMValueRef suspend)
{
  LLVMValueRef after = LLVMGetNextInstruction(suspend), end = after;
  while (constant_fold_supports_instruction(end))
    end = LLVMGetNextInstruction(end);
  unsigned taken = suspend_deciding_successor_or_null(reach->run, end) == suspend
                       ? successor_for_suspend_result_or_unknown(reach->run, end, -1)
                       : CONSTANT_SUCCESSOR_UNKNOWN;
  bool known = taken != CONSTANT_SUCCESSOR_UNKNOWN;
  return reachable_add_from(reach, known ? LLVMGetFirstInstruction(LLVMGetSuccessor(end, taken)) : after);
}

bool reachable_contains(const struct reachable *reach, LLVMValueRef instruction)
{
  uint64_t found;
  return coro_map_get(&reach->found, coro_map_key(instruction), &found);
}

static bool is_own_coro_begin(const struct reachable *reach, LLVMValueRef at)
{
  enum intrin intrin = intrin_of_call(reach->run->intrin, at);
  return (intrin == INTRIN_BEGIN || intrin == INTRIN_BEGIN_CUSTOM_ABI) &&
         clones_is_id_of_function(reach->run, reach->function, LLVMGetOperand(at, BEGIN_ID));
}

/* Adds the instructions from `at` to the end of the block. Returns the terminator; NULL: an instruction was visited
   before, the function's own coro.begin stops the path, or out of memory (*fine is false). */
static LLVMValueRef add_rest_of_block_return_terminator(struct reachable *reach, LLVMValueRef at, bool *fine)
{
  LLVMValueRef end = NULL;
  for (; at && *fine && !reachable_contains(reach, at); at = LLVMGetNextInstruction(at)) {
    *fine = coro_map_put(&reach->found, coro_map_key(at), 1);
    if (reach->stops_at_begin && is_own_coro_begin(reach, at))
      return NULL;
    end = at;
  }
  return at ? NULL : end;
}

bool reachable_add_from(struct reachable *reach, LLVMValueRef first)
{
  struct coro_arena *arena = reach->found.arena;
  CORO_VEC(LLVMValueRef) stack = {0};
  bool fine = coro_vec_push(arena, &stack, first);
  while (stack.count && fine) {
    LLVMValueRef end = add_rest_of_block_return_terminator(reach, stack.items[--stack.count], &fine);
    if (!end)
      continue;
    LLVMValueRef condition = flow_branch_condition(end);
    bool skip =
        reach->assumes_given_frame && condition && intrin_of_call(reach->run->intrin, condition) == INTRIN_ALLOC;
    reach->returns = LLVMIsAReturnInst(end) ? end : reach->returns;
    for (unsigned i = skip; i < LLVMGetNumSuccessors(end) && fine; i++)
      fine = coro_vec_push(arena, &stack, LLVMGetFirstInstruction(LLVMGetSuccessor(end, i)));
  }
  return fine;
}

bool reachable_add_strictly_between(struct reachable *reach, LLVMValueRef first, LLVMValueRef last)
{
  struct coro_arena *arena = reach->found.arena;
  CORO_VEC(LLVMValueRef) stack = {0};
  bool fine = coro_vec_push(arena, &stack, last);
  while (stack.count && fine) {
    LLVMValueRef from = stack.items[--stack.count], at = from == last ? LLVMGetPreviousInstruction(last) : from;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(from);
    for (; at && at != first && !reachable_contains(reach, at) && fine; at = LLVMGetPreviousInstruction(at))
      fine = coro_map_put(&reach->found, coro_map_key(at), 1);
    LLVMUseRef use = at ? NULL : LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    for (; use && fine; use = LLVMGetNextUse(use))
      if (edit_is_instruction(LLVMGetUser(use)))
        fine = coro_vec_push(arena, &stack, LLVMGetUser(use));
  }
  return fine;
}
