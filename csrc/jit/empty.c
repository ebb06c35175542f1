/* Functions of no code: one that cannot be entered compiles to nothing, and shares its address with whoever comes next.
   Then unwinding finds the wrong one of the two, and so does whoever asks what a pointer to a function is of.
   Needs: a module that is ours to change. Leaves: the same behaviour; every function that it defines has code. */
#include "jit/inside.h"

static bool is_empty(LLVMValueRef function)
{
  LLVMBasicBlockRef entry = LLVMIsDeclaration(function) ? NULL : LLVMGetEntryBasicBlock(function);
  return entry && LLVMIsAUnreachableInst(LLVMGetFirstInstruction(entry));
}

void jit_fill_empty(LLVMModuleRef copy)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(copy));
  unsigned id = LLVMLookupIntrinsicID("llvm.trap", 9);
  LLVMValueRef trap = NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f)) {
    if (!is_empty(f))
      continue;
    trap = trap ? trap : LLVMGetIntrinsicDeclaration(copy, id, NULL, 0);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(trap), trap, NULL, 0, "");
  }
  LLVMDisposeBuilder(builder);
}
