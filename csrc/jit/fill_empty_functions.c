/* Inserts a trap into functions that start with unreachable. They would compile to no code and share an address with
   the next function, which confuses the unwinder and address lookups.
   Requires: a module that may be changed. Guarantees: equivalent behavior; every defined function has code. */
#include "jit/jit_internal.h"

static bool starts_with_unreachable(LLVMValueRef function)
{
  LLVMBasicBlockRef entry = LLVMIsDeclaration(function) ? NULL : LLVMGetEntryBasicBlock(function);
  return entry && LLVMIsAUnreachableInst(LLVMGetFirstInstruction(entry));
}

void jit_fill_empty_functions(LLVMModuleRef copy)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(copy));
  unsigned id = LLVMLookupIntrinsicID("llvm.trap", 9);
  LLVMValueRef trap = NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(copy); f; f = LLVMGetNextFunction(f)) {
    if (!starts_with_unreachable(f))
      continue;
    trap = trap ? trap : LLVMGetIntrinsicDeclaration(copy, id, NULL, 0);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(trap), trap, NULL, 0, "");
  }
  LLVMDisposeBuilder(builder);
}
