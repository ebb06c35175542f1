/* Checks that the target supports allocas in the data layout's alloca address space, by verifying a scratch function
   with one alloca. */
#include "guards/alloca_support.h"

#include <string.h>

#include "llvm-c/Analysis.h"
#include "run/diagnose.h"

static LLVMModuleRef create_module_with_alloca(LLVMContextRef context, LLVMModuleRef like)
{
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("", context);
  LLVMSetTarget(module, LLVMGetTarget(like));
  LLVMSetDataLayout(module, LLVMGetDataLayoutStr(like));
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  LLVMValueRef function = LLVMAddFunction(module, "f", type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  LLVMBuildAlloca(builder, LLVMInt8TypeInContext(context), "variable");
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return module;
}

coro_status alloca_support_check(struct pass_run *run)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = create_module_with_alloca(context, run->module);
  char *message_of_llvm = NULL;
  bool is_invalid = LLVMVerifyModule(module, LLVMReturnStatusAction, &message_of_llvm);
  const char *message =
      is_invalid ? coro_arena_printf(run->arena,
                                     "the data layout puts allocas in an address space that %s does not support: %.*s",
                                     LLVMGetTarget(run->module), (int)strcspn(message_of_llvm, "\n"), message_of_llvm)
                 : "";
  LLVMDisposeMessage(message_of_llvm);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  if (!message)
    return CORO_ENOMEM;
  return is_invalid ? pass_reject_instruction(run, "stack-address-space", NULL, NULL, message,
                                              "use the data layout of the module's target, as clang does")
                    : CORO_OK;
}
