/* Own variables: what the lowering makes once in a module and finds again by its name, which the program may have taken
   for something else.
   Needs: LLVM-C. Leaves: the module as it was. */
#ifndef CORO_IR_OWN_H
#define CORO_IR_OWN_H

#include "base/arena.h"
#include "llvm-c/Core.h"

/* Whether anything of the module has the name: what gets it too is called otherwise, and not found by it. */
bool own_is_taken(LLVMModuleRef module, const char *name);

/* What the program called so is left alone: ours is what passes the test, under `name` or the first of `name.1`,
   `name.2`, ... that the program has not taken. NULL where there is none yet; *free_name is what to call it then, NULL
   where memory ran out, which the arena remembers. */
LLVMValueRef own_variable(LLVMModuleRef module, struct coro_arena *arena, const char *name,
                          bool (*is_ours)(LLVMValueRef variable, const void *user), const void *user,
                          const char **free_name);

#endif
