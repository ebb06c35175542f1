/* Repairs SSA form after edges were redirected: a use that is no longer dominated by its definition reads a phi.
   Requires: a function without unreachable blocks whose phis have an entry for each predecessor.
   Guarantees: every definition dominates its uses. On a path without a definition the value is poison. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

bool ssa_repair_dominance(struct coro_arena *arena, LLVMValueRef function); /* false: out of memory */
