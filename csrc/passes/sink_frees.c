/* Looks for the first use after a call, and moves the call there; see sink_frees.h. */
#include "passes/sink_frees.h"

#include "ir/edit.h"

static bool uses_value(LLVMValueRef user, LLVMValueRef value)
{
  for (int i = 0; i < LLVMGetNumOperands(user); i++)
    if (LLVMGetOperand(user, (unsigned)i) == value)
      return true;
  return false;
}

static bool accesses_memory(LLVMValueRef inst)
{
  LLVMValueRef callee = edit_is_call(inst) ? LLVMGetCalledValue(inst) : NULL;
  return (callee && (LLVMIsAMemIntrinsic(inst) || !(LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)))) ||
         LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst) || LLVMIsAAtomicRMWInst(inst) ||
         LLVMIsAAtomicCmpXchgInst(inst);
}

/* The first user in the block if code before it accesses memory; NULL: there is none. A coroutine intrinsic depends on
   whether the frame has been freed before it. */
static LLVMValueRef find_first_user_after_access(const struct intrin_table *table, LLVMValueRef free)
{
  bool accesses = false;
  for (LLVMValueRef at = LLVMGetNextInstruction(free); at; at = LLVMGetNextInstruction(at)) {
    if (uses_value(at, free))
      return accesses ? at : NULL;
    if (edit_is_call(at) && intrin_is_coro(intrin_of_call(table, at)))
      return NULL;
    accesses |= accesses_memory(at);
  }
  return NULL;
}

bool sink_coro_frees(const struct pass_run *run, LLVMBuilderRef builder, const pass_values *frees, bool *changed)
{
  for (uint32_t i = 0; i < frees->count; i++) {
    LLVMValueRef user = find_first_user_after_access(run->intrin, frees->items[i]);
    if (!user)
      continue;
    LLVMPositionBuilderBefore(builder, user);
    edit_move_instruction(run->arena, builder, frees->items[i]);
    *changed = true;
  }
  return !coro_arena_failed(run->arena);
}
