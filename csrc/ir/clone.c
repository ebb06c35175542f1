/* Copies of single instructions. */
#include "ir/clone.h"

#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
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

LLVMValueRef clone_call_without_bundles(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef source)
{
  unsigned count = LLVMGetNumArgOperands(source);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(arena, LLVMValueRef, count + 1);
  for (unsigned i = 0; arguments && i < count; i++)
    arguments[i] = LLVMGetOperand(source, i);
  if (!arguments)
    return NULL;
  LLVMValueRef copy =
      LLVMBuildCall2(builder, LLVMGetCalledFunctionType(source), LLVMGetCalledValue(source), arguments, count, "");
  LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(source));
  LLVMSetInstructionCallConv(copy, LLVMGetInstructionCallConv(source));
  edit_call_copy_attributes(arena, source, copy, NULL);
  return copy;
}

void clone_drop_alias_scopes(LLVMValueRef copy)
{
  if (!LLVMHasMetadata(copy))
    return;
  LLVMSetMetadata(copy, METADATA_ALIAS_SCOPE, NULL);
  LLVMSetMetadata(copy, METADATA_NOALIAS, NULL);
}
