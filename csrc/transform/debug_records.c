/* Reads debug records, inserts copies of them, and replaces a value in all records by poison. */
#include "transform/debug_records.h"

#include "base/vec.h"
#include "transform/debug_nodes.h"

struct use {
  LLVMValueRef user;
  unsigned operand;
};

LLVMValueRef ir_record_single_value(LLVMContextRef context, LLVMDbgRecordRef record)
{
  LLVMValueRef value = LLVMDbgVariableRecordGetValue(record, 0);
  return value && ir_expression_takes_one_value(context, LLVMDbgVariableRecordGetExpression(record)) ? value : NULL;
}

static bool describe_same_variable(LLVMDbgRecordRef one, LLVMDbgRecordRef other)
{
  return LLVMDbgRecordGetKind(other) != LLVMDbgRecordLabel &&
         LLVMDbgVariableRecordGetVariable(one) == LLVMDbgVariableRecordGetVariable(other) &&
         LLVMDILocationGetInlinedAt(LLVMDbgRecordGetDebugLoc(one)) ==
             LLVMDILocationGetInlinedAt(LLVMDbgRecordGetDebugLoc(other));
}

bool ir_record_is_superseded(LLVMDbgRecordRef record)
{
  LLVMDbgRecordRef later = LLVMGetNextDbgRecord(record);
  while (later && !describe_same_variable(record, later))
    later = LLVMGetNextDbgRecord(later);
  return later != NULL;
}

void ir_record_insert_copy(LLVMDIBuilderRef builder, LLVMDbgRecordRef record, LLVMValueRef value,
                           LLVMMetadataRef expression, LLVMMetadataRef location, LLVMValueRef before)
{
  LLVMMetadataRef variable = LLVMDbgVariableRecordGetVariable(record);
  if (LLVMDbgRecordGetKind(record) == LLVMDbgRecordDeclare)
    LLVMDIBuilderInsertDeclareRecordBefore(builder, value, variable, expression, location, before);
  else
    LLVMDIBuilderInsertDbgValueRecordBefore(builder, value, variable, expression, location, before);
}

void ir_poison_value_in_records(struct coro_arena *arena, LLVMValueRef value)
{
  CORO_VEC(struct use) uses = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
      if (LLVMGetOperand(user, i) == value && !coro_vec_push(arena, &uses, ((struct use){user, i})))
        return;
  }
  LLVMReplaceAllUsesWith(value, LLVMGetPoison(LLVMTypeOf(value)));
  for (uint32_t i = 0; i < uses.count; i++)
    LLVMSetOperand(uses.items[i].user, uses.items[i].operand, value);
}
