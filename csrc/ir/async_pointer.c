/* Async function pointers: globals that hold {offset of the function from here, size of the context it needs}.
   Needs: LLVM-C. Leaves: globals whose initialiser differs in the size alone. */
#include "ir/async_pointer.h"

#include "ir/edit.h"

static LLVMValueRef field(LLVMValueRef global, unsigned index)
{
  return LLVMGetAggregateElement(LLVMGetInitializer(global), index);
}

LLVMValueRef async_pointer(LLVMValueRef operand)
{
  LLVMValueRef global = edit_strip_casts(operand);
  LLVMValueRef value = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
  bool pair = value && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMStructTypeKind &&
              LLVMCountStructElementTypes(LLVMTypeOf(value)) == 2;
  LLVMValueRef size = pair ? field(global, 1) : NULL;
  return size && field(global, 0) && LLVMGetTypeKind(LLVMTypeOf(size)) == LLVMIntegerTypeKind ? global : NULL;
}

LLVMValueRef async_pointer_size(LLVMValueRef global)
{
  return field(global, 1);
}

void async_pointer_set_size(LLVMValueRef global, LLVMValueRef size)
{
  LLVMValueRef fields[2] = {field(global, 0), size};
  LLVMSetInitializer(global, LLVMConstNamedStruct(LLVMGlobalGetValueType(global), fields, 2)); /* literal ones too */
}
