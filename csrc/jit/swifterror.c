/* Parameters that are `swifterror` made plain: LLVM's code generator, where it does not optimize, copies what they hold
   at the start of a landing pad before the label that the unwinder goes to, and loses with it what is read back there.
   Needs: all code of the engine treated alike. Leaves: the same behaviour; no function that keeps an error in a
   register. */
#include <string.h>

#include "ir/edit.h"
#include "jit/room.h"

static const char name[] = "swifterror";

static void forget_of_function(LLVMValueRef function)
{
  for (unsigned p = 1; p <= LLVMCountParams(function); p++)
    edit_remove_attribute(function, p, name);
}

static void forget_of_call(LLVMValueRef call)
{
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  for (unsigned a = 1; a <= LLVMGetNumArgOperands(call); a++)
    LLVMRemoveCallSiteEnumAttribute(call, a, kind);
}

/* LLVM-C cannot tell whether a variable is marked `swifterror`, which only a single pointer can be. */
static bool may_be_error(LLVMValueRef variable)
{
  return LLVMIsAAllocaInst(variable) && LLVMGetTypeKind(LLVMGetAllocatedType(variable)) == LLVMPointerTypeKind &&
         LLVMIsAConstantInt(LLVMGetOperand(variable, 0)) && LLVMConstIntGetZExtValue(LLVMGetOperand(variable, 0)) == 1;
}

/* Puts a variable without the mark in the place of one that may have it. */
static LLVMValueRef make_plain(LLVMBuilderRef builder, LLVMValueRef variable)
{
  LLVMPositionBuilderBefore(builder, variable);
  LLVMValueRef plain = LLVMBuildAlloca(builder, LLVMGetAllocatedType(variable), "");
  LLVMSetAlignment(plain, LLVMGetAlignment(variable));
  edit_replace(variable, plain);
  return plain;
}

static void make_all_plain(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    if (edit_is_call(i))
      forget_of_call(i);
    if (may_be_error(i))
      i = make_plain(builder, i);
  }
}

void jit_forget_errors(LLVMModuleRef module)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    forget_of_function(f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      make_all_plain(builder, b);
  }
  LLVMDisposeBuilder(builder);
}
