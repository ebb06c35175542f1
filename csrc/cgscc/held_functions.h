/* Prevents LLVM's passes from deleting functions: a temporary exported variable refers to them, so a single call is not
   their only use either.
   Requires: LLVM-C.
   Guarantees: held_functions_release removes the variable. */
#pragma once

#include "run/intrinsic_calls.h"

/* *name: of the variable; NULL: there are no functions to hold. False: out of memory. */
bool held_functions_add(struct coro_arena *arena, LLVMModuleRef module, const pass_values *functions,
                        const char **name);
/* `name` may be NULL. */
void held_functions_release(LLVMModuleRef module, const char *name);
