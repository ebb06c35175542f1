/* Inlines trivial wrapper functions early: those with one block that costs about as much as a call of it, in LLVM's
   units. About half of the functions in C++ are such wrappers, which LLVM inlines anyway, but only after running all
   passes on each. Inlining them first deletes most of them before the first wave.
   Requires: ir, LLVM-C.
   Guarantees: all other functions have a temporary `noinline` while LLVM's inliner runs. */
#pragma once

#include "base/map.h"
#include "llvm-c/Core.h"

struct early_inline {
  LLVMModuleRef module;
  struct coro_map marked; /* functions with a temporary noinline */
};

bool early_inline_has_candidate(LLVMModuleRef module); /* whether there is a candidate */
/* Makes all functions except trivial and alwaysinline ones noinline until early_inline_remove_noinline. Functions may
   be deleted in between but not created. False: out of memory. */
bool early_inline_add_noinline(struct early_inline *inlining, struct coro_arena *arena, LLVMModuleRef module);
void early_inline_remove_noinline(const struct early_inline *inlining);
