/* Decides whether generated code can call a function of a hook module. */
#include "abi/hook_callable.h"

#include "ir/edit.h"
#include "ir/size.h"
#include "llvm-c/Analysis.h"

bool hook_is_callable(struct coro_arena *arena, LLVMModuleRef source, LLVMValueRef function)
{
  static const char *const copied[] = {"byval", "inalloca"}; /* a hook has no caller that could make the copy */
  LLVMContextRef context = LLVMGetModuleContext(source);
  if (edit_has_parameter_with_attribute(function, copied, sizeof copied / sizeof *copied))
    return false;
  LLVMTypeRef nothing = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(arena, LLVMValueRef, LLVMCountParams(function) + 1);
  if (!arguments)
    return true; /* the arena records the failure */
  LLVMValueRef caller = LLVMAddFunction(source, "", nothing);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, caller, ""));
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    arguments[i] = LLVMGetPoison(LLVMTypeOf(LLVMGetParam(function, i)));
  unsigned count = LLVMCountParams(function);
  edit_copy_convention_and_param_attributes(arena, function, edit_build_call(builder, function, arguments, count, ""));
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  bool may = !LLVMVerifyFunction(caller, LLVMReturnStatusAction);
  LLVMDeleteFunction(caller);
  return may;
}

/* Whether the type contains no target extension type: some of these have no zero value. Nesting deeper than
   IR_MAX_TYPE_DEPTH counts as one. */
static bool has_no_target_extension_type(LLVMTypeRef type, unsigned depth)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  bool zero = kind != LLVMTargetExtTypeKind && depth < IR_MAX_TYPE_DEPTH;
  if (kind == LLVMArrayTypeKind)
    return zero && has_no_target_extension_type(LLVMGetElementType(type), depth + 1);
  for (unsigned i = 0; zero && kind == LLVMStructTypeKind && i < LLVMCountStructElementTypes(type); i++)
    zero = has_no_target_extension_type(LLVMStructGetTypeAtIndex(type, i), depth + 1);
  return zero;
}

bool hook_has_no_target_extension_types(LLVMValueRef function)
{
  bool all = has_no_target_extension_type(LLVMGetReturnType(LLVMGlobalGetValueType(function)), 0);
  for (unsigned i = 0; i < LLVMCountParams(function) && all; i++)
    all = has_no_target_extension_type(LLVMTypeOf(LLVMGetParam(function, i)), 0);
  return all;
}
