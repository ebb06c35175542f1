/* Splits a block in two.
   Requires: LLVM-C. Guarantees: equivalent code. */
#include "ir/split_block.h"

#include <stddef.h>

#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

/* In a loop of one block, the edge back to `block` now comes from `rest`. LLVM-C cannot change the block of an incoming
   value, so the phis are replaced. */
static void replace_incoming_block_of_own_phis(struct coro_arena *arena, LLVMBuilderRef builder,
                                               LLVMBasicBlockRef block, LLVMBasicBlockRef rest)
{
  for (LLVMValueRef phi = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(phi); phi = next) {
    next = LLVMGetNextInstruction(phi);
    LLVMPositionBuilderBefore(builder, phi);
    LLVMValueRef replacement = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
    LLVMInstructionSetDebugLoc(replacement, LLVMInstructionGetDebugLoc(phi));
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
      LLVMValueRef value = LLVMGetIncomingValue(phi, i);
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
      LLVMAddIncoming(replacement, &value, from == block ? &rest : &from, 1);
    }
    edit_move_value_name(arena, replacement, phi);
    edit_replace(phi, replacement);
  }
}

static bool is_successor(LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
  bool found = false;
  for (unsigned s = 0; end && s < LLVMGetNumSuccessors(end); s++)
    found |= LLVMGetSuccessor(end, s) == block;
  return found;
}

LLVMBasicBlockRef split_block(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef first, const char *name)
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
  if (is_successor(block, rest))
    replace_incoming_block_of_own_phis(arena, builder, block, rest);
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildBr(builder, rest);
  return rest;
}
