/* Prints the declarations of a module: it copies them into a new module, because printing the whole module to see
   its headers costs as much as reading it. */
#include "transform/module_interface.h"

#include <stddef.h>

#include "base/arena.h"
#include "ir/edit.h"

static void add_function_to_outline(struct coro_arena *arena, LLVMModuleRef outline, LLVMValueRef from)
{
  LLVMValueRef to = LLVMAddFunction(outline, edit_value_name(from), LLVMGlobalGetValueType(from));
  LLVMSetFunctionCallConv(to, LLVMGetFunctionCallConv(from));
  for (unsigned at = LLVMAttributeReturnIndex; at <= LLVMCountParams(from); at++)
    edit_copy_attributes(arena, from, to, at, NULL);
  if (LLVMIsDeclaration(from))
    return;
  LLVMContextRef context = LLVMGetModuleContext(outline);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, to, ""));
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
}

static void add_variable_to_outline(LLVMModuleRef outline, LLVMValueRef from)
{
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(from));
  LLVMAddGlobalInAddressSpace(outline, LLVMGlobalGetValueType(from), edit_value_name(from), space);
}

char *ir_module_interface(LLVMModuleRef module)
{
  struct coro_arena *arena = coro_arena_create();
  if (!arena)
    return NULL;
  LLVMModuleRef outline = LLVMModuleCreateWithNameInContext("", LLVMGetModuleContext(module));
  LLVMSetTarget(outline, LLVMGetTarget(module));
  LLVMSetDataLayout(outline, LLVMGetDataLayoutStr(module));
  for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
    if (LLVMIsDeclaration(v))
      add_variable_to_outline(outline, v);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMGetIntrinsicID(f))
      add_function_to_outline(arena, outline, f);
  char *text = coro_arena_failed(arena) ? NULL : LLVMPrintModuleToString(outline);
  LLVMDisposeModule(outline);
  coro_arena_free(arena);
  return text;
}
