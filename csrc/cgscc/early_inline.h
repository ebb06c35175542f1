/* Early inlining of trivial wrapper functions.
   Requires: ir, LLVM-C.
   Guarantees: other functions have `noinline` while LLVM's inliner runs. */
#ifndef CORO_CGSCC_EARLY_INLINE_H
#define CORO_CGSCC_EARLY_INLINE_H

#include "base/map.h"
#include "llvm-c/Core.h"

struct early_inline {
  LLVMModuleRef module;
  struct coro_map marked; /* functions with a temporary noinline */
};

bool early_inline_applies(LLVMModuleRef module); /* whether there is a candidate */
/* Makes all functions but the trivial ones noinline until early_inline_unmask, except alwaysinline ones. Functions may be
   deleted in between but not created. False: out of memory. */
bool early_inline_mask(struct early_inline *inlining, struct coro_arena *arena, LLVMModuleRef module);
void early_inline_unmask(const struct early_inline *inlining);

#endif
