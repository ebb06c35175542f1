/* Folds branches on constants and deletes unreachable blocks. LLVM-C has neither.
   Requires: a function that verifies. Guarantees: it still verifies; *changed is set to true if it changed. */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "llvm-c/Core.h"

/* Folds terminators with a known successor, deletes unreachable blocks, and removes their entries from phis. False:
   out of memory. */
bool prune_fold_and_delete_unreachable(struct coro_arena *arena, LLVMValueRef function, bool *changed);
bool prune_has_constant_branch(LLVMValueRef function); /* true if some terminator has a known successor */
/* Repairs a function whose edges were removed without updating phis: drops stale incoming values and unreachable
   blocks. False: out of memory. */
bool prune_after_edges_were_removed(struct coro_arena *arena, LLVMValueRef function);
/* Adds to `reached` the blocks that are reachable from the entry along edges that `takes` accepts (NULL: all). The
   function does not change. False: out of memory. */
typedef bool prune_edge_fn(const void *user, LLVMValueRef terminator, unsigned successor);
bool prune_find_reachable(struct coro_arena *arena, LLVMValueRef function, prune_edge_fn *takes, const void *user,
                          struct coro_map *reached);
