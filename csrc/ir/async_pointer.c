/* Reads and updates async function pointers (see async_pointer.h). */
#include "ir/async_pointer.h"

#include "ir/edit.h"

static LLVMValueRef field_of_struct_initializer(LLVMValueRef global, unsigned index)
{
  return LLVMGetAggregateElement(LLVMGetInitializer(global), index);
}

LLVMValueRef async_pointer(LLVMValueRef operand)
{
  LLVMValueRef global = edit_strip_casts_and_zero_geps(operand);
  LLVMValueRef value = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
  bool pair =
      value && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMStructTypeKind &&
      (LLVMCountStructElementTypes(LLVMTypeOf(value)) == 2 || LLVMCountStructElementTypes(LLVMTypeOf(value)) == 3);
  LLVMValueRef size = pair ? field_of_struct_initializer(global, 1) : NULL;
  return size && field_of_struct_initializer(global, 0) && LLVMGetTypeKind(LLVMTypeOf(size)) == LLVMIntegerTypeKind
             ? global
             : NULL;
}

LLVMValueRef async_pointer_size(LLVMValueRef global)
{
  return field_of_struct_initializer(global, 1);
}

void async_pointer_set_context_size(LLVMValueRef global, LLVMValueRef size)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  LLVMValueRef fields[3] = {field_of_struct_initializer(global, 0), size};
  unsigned count = LLVMCountStructElementTypes(type);
  if (count > 2)
    fields[2] = field_of_struct_initializer(global, 2);
  /* LLVMConstNamedStruct accepts literal structs too */
  LLVMSetInitializer(global, LLVMConstNamedStruct(type, fields, count));
}

void async_pointer_raise_context_size(LLVMValueRef global, uint64_t size)
{
  LLVMValueRef published = async_pointer_size(global);
  if (!LLVMIsAConstantInt(published) || edit_integer_constant_or_maximum(published) < size)
    async_pointer_set_context_size(global, LLVMConstInt(LLVMTypeOf(published), size, false));
}
