/* Thunks that resume and destroy a coroutine of the switch ABI, which C cannot call: slots 0 and 1 of the frame hold
   functions of the convention fastcc. Needs: LLVM-C.
   Leaves: a module with one C-callable function for each slot. */
#include "jit/inside.h"

enum { FASTCC = 8 }; /* LLVMFastCallConv, as LLVMSetInstructionCallConv takes it */

static void make_thunk(LLVMModuleRef module, const char *name, unsigned slot)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
  LLVMValueRef thunk = LLVMAddFunction(module, name, type);
  LLVMValueRef handle = LLVMGetParam(thunk, 0);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, thunk, "entry"));
  LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(context), slot, false);
  LLVMValueRef address = LLVMBuildGEP2(builder, pointer, handle, &index, 1, "slot");
  LLVMValueRef callee = LLVMBuildLoad2(builder, pointer, address, "callee");
  LLVMSetInstructionCallConv(LLVMBuildCall2(builder, type, callee, &handle, 1, ""), FASTCC);
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
}

LLVMModuleRef jit_make_thunks(LLVMContextRef context)
{
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("pycoro.thunks", context);
  make_thunk(module, JIT_RESUME, 0);
  make_thunk(module, JIT_DESTROY, 1);
  return module;
}
