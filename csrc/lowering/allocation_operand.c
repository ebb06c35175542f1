/* Finds type ids by the arguments and operand bundles of a call; see allocation_operand.h. */
#include "lowering/allocation_operand.h"

#include <limits.h>
#include <string.h>

static bool is_operand_of_integer_type(LLVMValueRef call, unsigned operand)
{
  return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, operand))) == LLVMIntegerTypeKind;
}

/* Bundle operands follow the arguments. */
struct allocation_type_ids find_allocation_type_ids(const struct coro_lowering *low, uint32_t inst)
{
  LLVMValueRef call = low->fn.insts[inst];
  unsigned at = LLVMGetNumArgOperands(call), bundles = LLVMGetNumOperandBundles(call);
  struct allocation_type_ids found = {.operand = UINT_MAX};
  if (low->shape.intrin[inst] == INTRIN_ID_RETCON_DYNAMIC && is_operand_of_integer_type(call, at - 1))
    found = (struct allocation_type_ids){.count = 1, .operand = at - 1};
  for (unsigned b = 0; b < bundles; b++) {
    size_t length, tag_length = sizeof CORO_TYPE_ID - 1;
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, b);
    const char *tag = LLVMGetOperandBundleTag(bundle, &length);
    unsigned operands = LLVMGetNumOperandBundleArgs(bundle);
    if (length == tag_length && !memcmp(tag, CORO_TYPE_ID, tag_length)) {
      found.operand = found.count || !operands ? found.operand : at;
      found.count += operands;
      found.malformed |= !operands || !is_operand_of_integer_type(call, at);
    }
    LLVMDisposeOperandBundle(bundle);
    at += operands;
  }
  return found;
}

unsigned allocation_type_id_operand_or_max(const struct coro_lowering *low, uint32_t inst)
{
  return find_allocation_type_ids(low, inst).operand;
}

bool allocation_is_marked_callee_frame(const struct coro_lowering *low, uint32_t inst)
{
  return inst != low->shape.id && LLVMGetCallSiteStringAttribute(low->fn.insts[inst], LLVMAttributeFunctionIndex,
                                                                 CORO_CALLEE_FRAME, sizeof CORO_CALLEE_FRAME - 1);
}
