/* Resolves insertvalue chains and casts of the ABI; see aggregate.h.
   Requires: numbered clones. */
#include "check/aggregate.h"

#include "ir/operand.h"

static bool is_added_or_lowered(const struct check_clone *k, LLVMValueRef value)
{
  uint32_t inst = ir_inst(&k->fn, value);
  return inst != IR_NONE && (k->entries[inst].kind == WITNESS_NONE || k->entries[inst].kind == WITNESS_LOWERED);
}

LLVMValueRef aggregate_strip_added_casts(const struct check_clone *k, LLVMValueRef value)
{
  while (is_added_or_lowered(k, value) &&
         (LLVMIsABitCastInst(value) || LLVMIsAPtrToIntInst(value) || LLVMIsAIntToPtrInst(value)))
    value = LLVMGetOperand(value, ADDRESS_BASE);
  return value;
}

LLVMValueRef aggregate_element_or_null(const struct check_clone *k, LLVMValueRef aggregate, unsigned index)
{
  while (is_added_or_lowered(k, aggregate) && LLVMIsAInsertValueInst(aggregate) && LLVMGetNumIndices(aggregate) == 1) {
    if (*LLVMGetIndices(aggregate) == index)
      return aggregate_strip_added_casts(k, LLVMGetOperand(aggregate, INSERTED));
    aggregate = LLVMGetOperand(aggregate, AGGREGATE);
  }
  return LLVMIsAConstant(aggregate) ? LLVMGetAggregateElement(aggregate, index) : NULL;
}
