/* Adds and removes a variable that refers to functions; see held_functions.h. */
#include "cgscc/held_functions.h"

bool held_functions_add(struct coro_arena *arena, LLVMModuleRef module, const pass_values *functions, const char **name)
{
  *name = NULL;
  if (!functions->count)
    return true;
  LLVMValueRef all = LLVMConstStructInContext(LLVMGetModuleContext(module), functions->items, functions->count, false);
  LLVMValueRef holder = LLVMAddGlobal(module, LLVMTypeOf(all), "pycoro.held");
  LLVMSetInitializer(holder, all);
  LLVMSetDLLStorageClass(holder, LLVMDLLExportStorageClass); /* internalize respects it on all targets */
  size_t length;
  const char *made = LLVMGetValueName2(holder, &length);
  *name = coro_arena_strndup(arena, made, length);
  if (!*name)
    LLVMDeleteGlobal(holder);
  return *name;
}

void held_functions_release(LLVMModuleRef module, const char *name)
{
  LLVMValueRef holder = name ? LLVMGetNamedGlobal(module, name) : NULL;
  if (holder)
    LLVMDeleteGlobal(holder);
}
