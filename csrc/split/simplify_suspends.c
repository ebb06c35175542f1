/* Removes suspends that never return to the caller, because the coroutine resumes or destroys itself directly before
   (LLVM: simplifySuspendPoint). */
#include "split/simplify_suspends.h"

#include "base/small_set.h"
#include "ir/edit.h"
#include "lowering/lowering.h"
#include "run/clones.h"
#include "transform/prune.h"

/* The only possible predecessor instruction. At the head of a block this is an invoke and its normal destination. */
static LLVMValueRef unique_predecessor_instruction_or_null(LLVMValueRef suspend)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(suspend);
  LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
  LLVMValueRef before = LLVMGetPreviousInstruction(suspend);
  if (before || !use || LLVMGetNextUse(use))
    return before;
  LLVMValueRef from = LLVMGetUser(use);
  return edit_is_call(from) && LLVMGetNormalDest(from) == block ? from : NULL;
}

/* Whether the handle is this coroutine's coro.begin, not that of an inlined ramp. A coro.begin without id has not
   been rejected yet. */
static bool is_handle_of_this_coroutine(const struct intrin_table *table, LLVMValueRef handle)
{
  LLVMValueRef id = intrin_of_call(table, handle) == INTRIN_BEGIN ? LLVMGetOperand(handle, BEGIN_ID) : NULL;
  return intrin_of_call(table, handle) == INTRIN_FRAME ||
         (id && intrin_of_call(table, id) == INTRIN_ID && !coro_shape_is_split_id(id));
}

/* `call fastcc void %address(ptr %handle)`, or an invoke, where the address is this coroutine's own resume (0) or
   destroy (1) function. */
static bool calls_own_clone(const struct intrin_table *table, LLVMValueRef call, uint64_t *own_slot)
{
  if (!call || !edit_is_call(call) || LLVMGetNumArgOperands(call) != 1)
    return false;
  LLVMValueRef address = LLVMGetCalledValue(call), handle = LLVMGetOperand(call, CLONE_PARAMETER_FRAME);
  return intrin_of_call(table, address) == INTRIN_SUBFN_ADDR && LLVMGetOperand(address, SUBFN_HANDLE) == handle &&
         is_handle_of_this_coroutine(table, handle) &&
         edit_read_integer_constant(LLVMGetOperand(address, SUBFN_INDEX), own_slot) && *own_slot <= 1;
}

/* Intrinsics cannot resume it, except those that represent a call. */
static bool may_resume_coroutine(const struct intrin_table *table, LLVMValueRef instruction)
{
  if (!edit_is_call(instruction))
    return false;
  switch (intrin_of_call(table, instruction)) {
  case INTRIN_NONE: {
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    return !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee);
  }
  case INTRIN_RESUME:
  case INTRIN_DESTROY:
  case INTRIN_AWAIT_VOID:
  case INTRIN_AWAIT_BOOL:
  case INTRIN_AWAIT_HANDLE: return true;
  default: return false;
  }
}

/* Whether nothing from here back to the save, or to the block's start, can resume the coroutine. */
static bool has_no_resume_back_to_save_in_block(const struct intrin_table *table, LLVMValueRef from, LLVMValueRef save)
{
  for (LLVMValueRef i = from; i && i != save; i = LLVMGetPreviousInstruction(i))
    if (may_resume_coroutine(table, i))
      return false;
  return true;
}

/* False: there are more blocks than the set can hold. */
static bool add_predecessor_blocks_up_to_limit(struct small_set *between, LLVMBasicBlockRef block)
{
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (edit_is_instruction(user) && LLVMIsATerminatorInst(user) &&
        !small_set_add(between, LLVMGetInstructionParent(user)))
      return false;
  }
  return true;
}

/* Whether no call between the save and this call can resume the coroutine. All backward paths lead to the save,
   which dominates it. */
static bool has_no_resume_between(const struct intrin_table *table, LLVMValueRef save, LLVMValueRef call)
{
  struct small_set between = {.count = 0}; /* blocks */
  LLVMBasicBlockRef first = LLVMGetInstructionParent(save), last = LLVMGetInstructionParent(call);
  bool quiet = has_no_resume_back_to_save_in_block(table, LLVMGetPreviousInstruction(call), save) &&
               (first == last || add_predecessor_blocks_up_to_limit(&between, last));
  for (unsigned i = 0; i < between.count && quiet; i++)
    quiet = has_no_resume_back_to_save_in_block(table, LLVMGetLastInstruction(between.items[i]), save) &&
            (between.items[i] == first || add_predecessor_blocks_up_to_limit(&between, between.items[i]));
  return quiet;
}

static bool is_final_or_unknown_suspend(LLVMValueRef suspend)
{
  LLVMValueRef final = LLVMGetOperand(suspend, SUSPEND_FINAL);
  return !LLVMIsAConstantInt(final) || LLVMConstIntGetZExtValue(final);
}

/* Erases a call; true if it was an invoke, and its unwind edge was removed. */
static bool erase_call_and_return_if_invoke(LLVMValueRef call)
{
  bool invoke = LLVMGetInstructionOpcode(call) == LLVMInvoke;
  if (invoke) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
    edit_position_builder_with_location(builder, call);
    LLVMBuildBr(builder, LLVMGetNormalDest(call));
    LLVMDisposeBuilder(builder);
  }
  LLVMInstructionEraseFromParent(call);
  return invoke;
}

/* Whether the coroutine is entered by its own handle directly before the suspend, and cannot have been entered
   earlier. */
static bool is_suspend_removable(const struct intrin_table *table, LLVMValueRef suspend, uint64_t *entered)
{
  LLVMValueRef save = LLVMGetOperand(suspend, SUSPEND_SAVE), call = unique_predecessor_instruction_or_null(suspend);
  return !is_final_or_unknown_suspend(suspend) && calls_own_clone(table, call, entered) &&
         (intrin_of_call(table, save) != INTRIN_SAVE || has_no_resume_between(table, save, call));
}

/* Sets *edge_removed if it removes an unwind edge; phis may still have an entry for it. */
static void replace_self_resume_and_suspend_by_constant(const struct intrin_table *table, LLVMValueRef suspend,
                                                        uint64_t entered, bool *edge_removed)
{
  LLVMValueRef save = LLVMGetOperand(suspend, SUSPEND_SAVE), call = unique_predecessor_instruction_or_null(suspend);
  bool has_save = intrin_of_call(table, save) == INTRIN_SAVE;
  LLVMValueRef address = LLVMGetCalledValue(call);
  edit_replace_and_erase(suspend, LLVMConstInt(LLVMTypeOf(suspend), entered, false));
  *edge_removed |= erase_call_and_return_if_invoke(call);
  if (!LLVMGetFirstUse(address))
    LLVMInstructionEraseFromParent(address);
  if (has_save && !LLVMGetFirstUse(save))
    LLVMInstructionEraseFromParent(save);
}

/* The next suspend in the block, from `i` on, that is_suspend_removable accepts; NULL: none. */
static LLVMValueRef next_removable_suspend_or_null(const struct intrin_table *table, LLVMValueRef i, uint64_t *entered)
{
  while (i && !(intrin_of_call(table, i) == INTRIN_SUSPEND && is_suspend_removable(table, i, entered)))
    i = LLVMGetNextInstruction(i);
  return i;
}

bool has_simplifiable_suspend(const struct intrin_table *table, LLVMValueRef function)
{
  uint64_t entered;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    if (next_removable_suspend_or_null(table, LLVMGetFirstInstruction(b), &entered))
      return true;
  return false;
}

bool simplify_suspends(struct coro_arena *arena, const struct intrin_table *table, LLVMValueRef function,
                       bool *function_changed)
{
  bool lost = false;
  uint64_t entered = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef removable = next_removable_suspend_or_null(table, LLVMGetFirstInstruction(b), &entered);
    while (removable) {
      LLVMValueRef next = LLVMGetNextInstruction(removable);
      replace_self_resume_and_suspend_by_constant(table, removable, entered, &lost);
      *function_changed = true;
      removable = next_removable_suspend_or_null(table, next, &entered);
    }
  }
  return !lost || prune_after_edges_were_removed(arena, function);
}
