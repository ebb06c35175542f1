/* Global variables that the lowering creates once per module and later finds by name. The program may use the same name
   for another symbol.
   Requires: LLVM-C. Guarantees: the module does not change. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Returns the first variable named `name`, `name.1`, `name.2`, ... that passes `is_ours`. If none exists, returns
   NULL and sets *free_name to the first unused name (NULL if out of memory, which the arena records). */
LLVMValueRef lowering_variable_find(LLVMModuleRef module, struct coro_arena *arena, const char *name,
                                    bool (*is_ours)(LLVMValueRef variable, const void *user), const void *user,
                                    const char **free_name);
