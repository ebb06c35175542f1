/* Creates detached swifterror allocas and detects swifterror values, which LLVM-C does not support. */
#include "transform/swifterror.h"

#include "ir/attribute_kind.h"
#include "ir/edit.h"
#include "llvm-c/IRReader.h"

/* Only LLVM's parser can set the swifterror flag; cloning the parsed instruction preserves it. */
LLVMValueRef ir_create_detached_swifterror_alloca(LLVMContextRef context, uint64_t align)
{
  static const char text[] = "define void @f() {\n  %error = alloca swifterror ptr\n  ret void\n}\n";
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(text, sizeof text - 1, "", true);
  LLVMModuleRef module = NULL;
  char *message = NULL;
  LLVMParseIRInContext2(context, buffer, &module, &message); /* the text is valid, so this cannot fail */
  LLVMDisposeMemoryBuffer(buffer);
  LLVMDisposeMessage(message);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetFirstFunction(module));
  LLVMValueRef copy = LLVMInstructionClone(LLVMGetFirstInstruction(entry));
  edit_set_alignment(copy, align);
  LLVMDisposeModule(module);
  return copy;
}

static bool is_passed_as_swifterror(LLVMValueRef variable)
{
  if (LLVMIsAAllocaInst(variable) && LLVMGetTypeKind(LLVMGetAllocatedType(variable)) != LLVMPointerTypeKind)
    return false; /* LLVM's verifier requires a pointer */
  for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_is_call(user))
      continue;
    for (unsigned a = 0; a < LLVMGetNumArgOperands(user); a++)
      if (LLVMGetOperand(user, a) == variable && edit_call_or_callee_has_attribute(user, a + 1, "swifterror"))
        return true;
  }
  return false;
}

bool ir_is_swifterror(LLVMValueRef value)
{
  return LLVMIsAArgument(value) ? value == ir_swifterror_param(LLVMGetParamParent(value))
                                : is_passed_as_swifterror(value);
}

LLVMValueRef ir_swifterror_param(LLVMValueRef function)
{
  unsigned count = LLVMCountParams(function);
  for (unsigned i = 0; i < count; i++)
    if (edit_has_attribute(function, i + 1, "swifterror"))
      return LLVMGetParam(function, i);
  return NULL;
}
