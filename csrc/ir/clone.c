/* Copies of single instructions. */
#include "ir/clone.h"

#include "llvm_metadata.h"

LLVMValueRef clone_instruction(LLVMBuilderRef builder, LLVMValueRef source, const struct coro_map *copies)
{
  LLVMValueRef copy = LLVMInstructionClone(source);
  uint64_t mapped;
  for (unsigned o = 0; copies && o < (unsigned)LLVMGetNumOperands(source); o++)
    if (coro_map_get(copies, coro_map_key(LLVMGetOperand(source, o)), &mapped))
      LLVMSetOperand(copy, o, (LLVMValueRef)(uintptr_t)mapped);
  LLVMInsertIntoBuilder(builder, copy);
  return copy;
}

void clone_drop_alias_scopes(LLVMValueRef copy)
{
  if (!LLVMHasMetadata(copy))
    return;
  LLVMSetMetadata(copy, METADATA_ALIAS_SCOPE, NULL);
  LLVMSetMetadata(copy, METADATA_NOALIAS, NULL);
}
