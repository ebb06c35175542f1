/* Splits a block by moving its first instructions to new blocks; see split_block.h for its debug records. */
#include "transform/split_block.h"

#include <string.h>

#include "base/vec.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "transform/debug_records.h"

struct record {
  LLVMDbgRecordRef record;
  LLVMValueRef before;
};

typedef CORO_VEC(struct record) records;

/* An insertion by the builder sets the name even if it is empty. */
static void insert_with_own_name(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  LLVMInsertIntoBuilderWithName(builder, instruction, edit_value_name(instruction));
}

/* The builder would change the debug location otherwise. */
void split_move_instruction_without_records(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(builder);
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMInstructionRemoveFromParent(instruction);
  insert_with_own_name(builder, instruction);
  LLVMSetCurrentDebugLocation2(builder, location);
}

/* Lists the records of variables' values. A declaration holds in the whole function, and a label need not be
   repeated. */
static bool list_value_records_to_copy(struct coro_arena *arena, LLVMValueRef from, LLVMValueRef to, records *found)
{
  for (LLVMValueRef at = from; at != to; at = LLVMGetNextInstruction(at))
    for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(at); r; r = LLVMGetNextDbgRecord(r))
      if ((LLVMDbgRecordGetKind(r) == LLVMDbgRecordValue || LLVMDbgRecordGetKind(r) == LLVMDbgRecordAssign) &&
          !coro_vec_push(arena, found, ((struct record){r, at})))
        return false;
  return true;
}

static void copy_value_records(LLVMContextRef context, LLVMModuleRef module, const records *found)
{
  LLVMDIBuilderRef builder = LLVMCreateDIBuilderDisallowUnresolved(module);
  for (uint32_t i = 0; i < found->count; i++) {
    LLVMDbgRecordRef r = found->items[i].record;
    LLVMValueRef value = ir_record_single_value(context, r), first = LLVMDbgVariableRecordGetValue(r, 0);
    if (!value)
      value = LLVMGetPoison(first ? LLVMTypeOf(first) : LLVMInt1TypeInContext(context));
    ir_record_insert_copy(builder, r, value, LLVMDbgVariableRecordGetExpression(r), LLVMDbgRecordGetDebugLoc(r),
                          found->items[i].before);
  }
  LLVMDisposeDIBuilder(builder);
}

/* Makes all branches to the block, and its address, those of the new head. The phis of its successors still name it,
   because it has no successors meanwhile. */
static void redirect_predecessors_to_head(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMBasicBlockRef head)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block); /* NULL in a block that Python still builds */
  if (terminator)
    LLVMInstructionRemoveFromParent(terminator);
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(head));
  LLVMPositionBuilderAtEnd(builder, block);
  if (terminator)
    insert_with_own_name(builder, terminator);
}

/* Moves the instructions before each of `firsts` to its part; the parts precede the block and end in branches. The last
   instruction is moved first: LLVM passes the records of a removed instruction to the next one of the block, so each
   record is passed once, and their order remains. */
static void move_instructions_to_parts(LLVMBuilderRef builder, const LLVMValueRef *firsts, uint32_t count)
{
  LLVMValueRef rest = firsts[count - 1];
  LLVMBasicBlockRef part = LLVMGetInstructionParent(rest);
  for (uint32_t i = count; i--;) {
    part = LLVMGetPreviousBasicBlock(part);
    LLVMValueRef next = LLVMGetBasicBlockTerminator(part), first = i ? firsts[i - 1] : NULL, at;
    for (; next != first && (at = LLVMGetPreviousInstruction(rest)); next = at) {
      LLVMPositionBuilderBefore(builder, next);
      split_move_instruction_without_records(builder, at);
    }
  }
  LLVMSetCurrentDebugLocation2(builder, NULL);
}

bool split_block_before_each(struct coro_arena *arena, LLVMBuilderRef builder, const LLVMValueRef *firsts,
                             uint32_t count, const char *name)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(firsts[0]);
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(block));
  LLVMContextRef context = LLVMGetModuleContext(module);
  records found = {0};
  if (!list_value_records_to_copy(arena, LLVMGetFirstInstruction(block), firsts[count - 1], &found))
    return false;
  LLVMSetCurrentDebugLocation2(builder, NULL);
  for (uint32_t i = 0; i < count; i++) {
    LLVMBasicBlockRef part = LLVMInsertBasicBlockInContext(context, block, i ? name : "");
    if (i) {
      LLVMBuildBr(builder, part);
    } else {
      edit_move_value_name(arena, LLVMBasicBlockAsValue(part), LLVMBasicBlockAsValue(block));
      redirect_predecessors_to_head(builder, block, part);
    }
    LLVMPositionBuilderAtEnd(builder, part);
  }
  LLVMBuildBr(builder, block);
  move_instructions_to_parts(builder, firsts, count);
  LLVMSetValueName2(LLVMBasicBlockAsValue(block), name, strlen(name));
  if (found.count)
    copy_value_records(context, module, &found);
  return true;
}

LLVMBasicBlockRef split_block(struct coro_arena *arena, LLVMBuilderRef builder, LLVMValueRef first, const char *name)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
  if (!split_block_before_each(arena, builder, &first, 1, name))
    return NULL;
  LLVMMoveBasicBlockAfter(block, LLVMGetLastBasicBlock(LLVMGetBasicBlockParent(block)));
  return flow_single_predecessor(block);
}
