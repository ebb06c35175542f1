/* Copies of instructions and of blocks. */
#include "ir/clone.h"

#include <string.h>

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

/* ---- Blocks ---- */

void clone_init(struct clone *c, struct coro_arena *arena)
{
  *c = (struct clone){.arena = arena};
  coro_map_init(&c->copies, arena);
}

LLVMValueRef clone_copy_or_itself(const struct clone *c, LLVMValueRef value)
{
  uint64_t copy;
  return coro_map_get(&c->copies, coro_map_key(value), &copy) ? (LLVMValueRef)(uintptr_t)copy : value;
}

LLVMBasicBlockRef clone_of_block(const struct clone *c, LLVMBasicBlockRef block)
{
  return LLVMValueAsBasicBlock(clone_copy_or_itself(c, LLVMBasicBlockAsValue(block)));
}

bool clone_record_copy(struct clone *c, LLVMValueRef source, LLVMValueRef copy)
{
  return coro_map_put(&c->copies, coro_map_key(source), coro_map_key(copy));
}

bool clone_record_block_copy(struct clone *c, LLVMBasicBlockRef source, LLVMBasicBlockRef copy)
{
  return clone_record_copy(c, LLVMBasicBlockAsValue(source), LLVMBasicBlockAsValue(copy));
}

bool clone_record_inserted_copy(struct clone *c, LLVMValueRef source, LLVMValueRef copy, const char *suffix)
{
  size_t length;
  const char *name = LLVMGetValueName2(source, &length);
  name = length ? coro_arena_concatenate(c->arena, name, suffix) : NULL;
  if (name)
    LLVMSetValueName2(copy, name, strlen(name));
  clone_drop_alias_scopes(copy);
  return coro_vec_push(c->arena, &c->sources, source) && clone_record_copy(c, source, copy);
}

LLVMValueRef clone_insert_copy(struct clone *c, LLVMBuilderRef builder, LLVMValueRef source, const char *suffix)
{
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMValueRef copy =
      LLVMIsAPHINode(source) ? LLVMBuildPhi(builder, LLVMTypeOf(source), "") : clone_instruction(builder, source, NULL);
  LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(source));
  return clone_record_inserted_copy(c, source, copy, suffix) ? copy : NULL;
}

static void fill_phi_copy_from_copied_blocks(const struct clone *c, LLVMValueRef source, LLVMValueRef copy)
{
  for (unsigned k = 0; k < LLVMCountIncoming(source); k++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(source, k), by = clone_of_block(c, from);
    LLVMValueRef value = clone_copy_or_itself(c, LLVMGetIncomingValue(source, k));
    if (by != from)
      LLVMAddIncoming(copy, &value, &by, 1);
  }
}

void clone_replace_operands_by_copies(const struct clone *c)
{
  for (uint32_t i = 0; i < c->sources.count; i++) {
    LLVMValueRef source = c->sources.items[i], copy = clone_copy_or_itself(c, source);
    if (LLVMIsAPHINode(source))
      fill_phi_copy_from_copied_blocks(c, source, copy);
    else
      for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(copy); o++)
        LLVMSetOperand(copy, o, clone_copy_or_itself(c, LLVMGetOperand(copy, o)));
  }
}
