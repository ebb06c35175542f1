/* Recognizes allocas that must stay on the stack. */
#include "analysis/stack_only_allocas.h"

#include "ir/edit.h"

/* The inalloca argument is the last one: the alloca, or an address computed from it. */
static bool passes_by_inalloca(LLVMValueRef call, LLVMValueRef address)
{
  unsigned count = edit_is_call(call) ? LLVMGetNumArgOperands(call) : 0;
  return count && LLVMGetOperand(call, count - 1) == address &&
         edit_call_or_callee_has_attribute(call, count, "inalloca");
}

bool stack_only_for_arguments(LLVMValueRef alloca)
{
  for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (passes_by_inalloca(user, alloca))
      return true;
    LLVMUseRef inner =
        LLVMIsAGetElementPtrInst(user) && edit_strip_casts(user) == alloca ? LLVMGetFirstUse(user) : NULL;
    for (; inner; inner = LLVMGetNextUse(inner))
      if (passes_by_inalloca(LLVMGetUser(inner), user))
        return true;
  }
  return false;
}

const char *stack_only_reason(struct coro_arena *arena, const struct intrin_table *table, LLVMValueRef alloca)
{
  if (stack_only_for_arguments(alloca))
    return "a call passes its arguments in it by inalloca";
  for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use), callee = edit_is_call(user) ? LLVMGetCalledValue(user) : NULL;
    unsigned id = callee && LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
    for (enum intrin i = INTRIN_GCROOT; id && i < INTRIN_ALL; i++)
      if (table->llvm_id[i] == id)
        return coro_arena_printf(arena, "%s names it", intrin_name(i));
  }
  return NULL;
}

/* Exception tables of Windows refer to a stack slot for the exception object. */
static bool is_caught_into(LLVMValueRef alloca)
{
  LLVMUseRef use = LLVMGetFirstUse(alloca);
  while (use && !LLVMIsACatchPadInst(LLVMGetUser(use)))
    use = LLVMGetNextUse(use);
  return use;
}

bool stack_only_by_request(LLVMValueRef alloca)
{
  return is_caught_into(alloca) ||
         LLVMGetMetadata(alloca, LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(alloca)), "coro.outside.frame",
                                                          18)) != NULL;
}
