/* C-callable thunks that resume and destroy a switch-ABI coroutine: frame slots 0 and 1 hold functions with the calling
   convention fastcc.
   Requires: LLVM-C. Guarantees: a module with one function per slot. */
#include "jit/jit_internal.h"

enum { FASTCC = 8 }; /* LLVMFastCallConv, in the type that LLVMSetInstructionCallConv takes */

static void make_thunk_for_header_slot(LLVMModuleRef module, const char *name, unsigned slot)
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
  make_thunk_for_header_slot(module, JIT_RESUME, 0);
  make_thunk_for_header_slot(module, JIT_DESTROY, 1);
  return module;
}
