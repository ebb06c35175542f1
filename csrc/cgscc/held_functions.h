/* Holds functions while LLVM's passes run: a variable refers to them, so LLVM neither deletes them nor treats a single
   call as the only use.
   Requires: LLVM-C.
   Guarantees: held_functions_release removes the variable, if LLVM has not. */
#ifndef CORO_CGSCC_HELD_FUNCTIONS_H
#define CORO_CGSCC_HELD_FUNCTIONS_H

#include "run/intrinsic_calls.h"

/* *name: of the variable; NULL: there are no functions to hold. False: out of memory. */
bool held_functions_add(struct coro_arena *arena, LLVMModuleRef module, const pass_values *functions,
                        const char **name);
/* `name` may be NULL. */
void held_functions_release(LLVMModuleRef module, const char *name);

#endif
