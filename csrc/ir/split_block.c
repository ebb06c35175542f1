/* Splits a block in two.
   Requires: LLVM-C. Guarantees: equivalent code. */
#include "ir/split_block.h"

#include <stddef.h>

#include "llvm-c/DebugInfo.h"

LLVMBasicBlockRef split_block(LLVMBuilderRef builder, LLVMValueRef first, const char *name)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMBasicBlockRef rest = LLVMAppendBasicBlockInContext(context, function, name);
  /* The first call also updates the phis of the block's successors. The second does not, because the new block has
     no successors yet. */
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(rest));
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(rest), LLVMBasicBlockAsValue(block));
  LLVMSetCurrentDebugLocation2(builder, NULL);
  for (LLVMValueRef at = first, next; at; at = next) {
    size_t length;
    next = LLVMGetNextInstruction(at);
    LLVMInstructionRemoveFromParent(at);
    LLVMPositionBuilderAtEnd(builder, rest);
    LLVMInsertIntoBuilderWithName(builder, at, LLVMGetValueName2(at, &length));
  }
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildBr(builder, rest);
  return rest;
}
