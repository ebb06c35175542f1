/* Folds constant getelementptr indices to a byte offset. */
#include "ir/offset.h"

#include "ir/edit.h"
#include "ir/operand.h"

static bool is_pointer_cast(LLVMOpcode opcode)
{
  return opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast;
}

static int64_t add_scaled_wrapping(int64_t offset, uint64_t count, uint64_t bytes)
{
  return ir_offset_sum(offset, (int64_t)(count * bytes));
}

static bool is_constant_index_of_64_bits_or_less(LLVMValueRef index)
{
  return LLVMIsAConstantInt(index) && LLVMGetIntTypeWidth(LLVMTypeOf(index)) <= 64;
}

bool ir_constant_offset_from_operand(struct ir_sizes *sizes, LLVMValueRef address, int64_t *offset)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(address);
  *offset = 0;
  if (opcode != LLVMGetElementPtr)
    return is_pointer_cast(opcode);
  LLVMTypeRef type = LLVMGetGEPSourceElementType(address);
  if (!ir_has_fixed_size(sizes, type))
    return false;
  unsigned count = (unsigned)LLVMGetNumOperands(address);
  for (unsigned i = FIRST_INDEX; i < count; i++) {
    LLVMValueRef index = LLVMGetOperand(address, i);
    if (!is_constant_index_of_64_bits_or_less(index))
      return false;
    int64_t number = LLVMConstIntGetSExtValue(index);
    if (i > FIRST_INDEX && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      *offset = add_scaled_wrapping(*offset, 1, LLVMOffsetOfElement(sizes->layout, type, (unsigned)number));
      type = LLVMStructGetTypeAtIndex(type, (unsigned)number);
      continue;
    }
    if (i > FIRST_INDEX)
      type = LLVMGetElementType(type);
    *offset = add_scaled_wrapping(*offset, (uint64_t)number, LLVMABISizeOfType(sizes->layout, type));
  }
  return true;
}

struct ir_location ir_base_and_constant_offset(struct ir_sizes *sizes, LLVMValueRef address)
{
  struct ir_location location = {address, 0};
  int64_t offset;
  for (int i = 0; i < EDIT_MAX_DEPTH && ir_constant_offset_from_operand(sizes, location.base, &offset); i++) {
    location.offset = ir_offset_sum(location.offset, offset);
    location.base = LLVMGetOperand(location.base, ADDRESS_BASE);
  }
  return location;
}
