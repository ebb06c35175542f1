/* Entry values: debug records that describe a variable by what a parameter was when its function was entered.
   Only of a `swiftasync` parameter may they say so in IR. LLVM's inliner takes such a record along into a function
   where it names another value: what the parameter is there, at that place, which does as well.
   Needs: base, LLVM-C. Leaves: such records without the entry value, where they name a value of the function. */
#ifndef CORO_IR_ENTRY_H
#define CORO_IR_ENTRY_H

#include "base/arena.h"
#include "llvm-c/Core.h"

bool ir_may_name_entry(LLVMModuleRef module); /* a function of its own has a `swiftasync` parameter */
/* LLVM's passes have run on a module that may. Memory that runs out is left to the arena to remember. */
void ir_mend_entry_values(struct coro_arena *arena, LLVMModuleRef module);

#endif
