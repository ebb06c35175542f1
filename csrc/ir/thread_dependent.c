/* Searches the operands of an instruction for addresses of thread-local variables. */
#include "ir/thread_dependent.h"

enum { MAX_CONSTANTS = 64 }; /* maximum number of constants visited per operand; bounds size and depth */

static bool may_be_constant_of_thread_local(LLVMValueRef value, unsigned *budget)
{
  if (LLVMIsAGlobalVariable(value))
    return LLVMIsThreadLocal(value);
  if (!LLVMIsAConstant(value) || LLVMIsAFunction(value) || LLVMIsABlockAddress(value))
    return false;
  if (!*budget)
    return true;
  --*budget;
  for (int o = 0; o < LLVMGetNumOperands(value); o++) /* also looks through aliases */
    if (may_be_constant_of_thread_local(LLVMGetOperand(value, (unsigned)o), budget))
      return true;
  return false;
}

bool ir_has_thread_local_constant_operand(LLVMValueRef instruction)
{
  for (int o = 0; o < LLVMGetNumOperands(instruction); o++) {
    unsigned budget = MAX_CONSTANTS;
    if (may_be_constant_of_thread_local(LLVMGetOperand(instruction, (unsigned)o), &budget))
      return true;
  }
  return false;
}
