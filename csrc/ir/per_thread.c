/* What is another value on another thread.
   Needs: LLVM-C. Leaves: the module as it was. */
#include "ir/per_thread.h"

enum { MOST_PARTS = 64 }; /* of one operand, so that neither their number nor their depth is without end */

static bool is_thread_local(LLVMValueRef value, unsigned *left)
{
  if (LLVMIsAGlobalVariable(value))
    return LLVMIsThreadLocal(value);
  if (!LLVMIsAConstant(value) || LLVMIsAFunction(value) || LLVMIsABlockAddress(value))
    return false;
  if (!*left)
    return true;
  --*left;
  for (int o = 0; o < LLVMGetNumOperands(value); o++) /* of an alias too: what it is another name of */
    if (is_thread_local(LLVMGetOperand(value, (unsigned)o), left))
      return true;
  return false;
}

bool ir_names_thread_local(LLVMValueRef instruction)
{
  for (int o = 0; o < LLVMGetNumOperands(instruction); o++) {
    unsigned left = MOST_PARTS;
    if (is_thread_local(LLVMGetOperand(instruction, (unsigned)o), &left))
      return true;
  }
  return false;
}
