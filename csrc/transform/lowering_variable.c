/* Finds global variables that the lowering created, and unused symbol names (see lowering_variable.h). */
#include "transform/lowering_variable.h"

#include "ir/edit.h"

LLVMValueRef lowering_variable_find(LLVMModuleRef module, struct coro_arena *arena, const char *name,
                                    bool (*is_ours)(LLVMValueRef variable, const void *user), const void *user,
                                    const char **free_name)
{
  *free_name = name;
  for (unsigned n = 1; *free_name && edit_is_symbol_name_in_use(module, *free_name); n++) {
    LLVMValueRef variable = LLVMGetNamedGlobal(module, *free_name);
    if (variable && is_ours(variable, user))
      return variable;
    *free_name = coro_arena_printf(arena, "%s.%u", name, n);
  }
  return NULL;
}
