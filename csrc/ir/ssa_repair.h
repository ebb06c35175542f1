/* Repair of SSA form after edges were redirected: a use that its definition no longer dominates reads a phi.
   Requires: a function without unreachable blocks whose phis have an entry for each of their predecessors.
   Guarantees: every definition dominates its uses. A path without a definition gives poison. */
#ifndef CORO_IR_SSA_REPAIR_H
#define CORO_IR_SSA_REPAIR_H

#include "base/arena.h"
#include "llvm-c/Core.h"

bool ssa_repair(struct coro_arena *arena, LLVMValueRef function); /* false: memory ran out */

#endif
