/* Pruning: branches whose way is known, and the blocks that this leaves without a way in.
   Needs: a function that verifies. Leaves: one that verifies; *changed set to true where something was done. */
#ifndef CORO_IR_PRUNE_H
#define CORO_IR_PRUNE_H

#include <limits.h>

#include "base/arena.h"
#include "base/map.h"
#include "llvm-c/Core.h"

#define PRUNE_OPEN UINT_MAX
/* Which of its successors alone a terminator can take; PRUNE_OPEN: it really chooses. */
unsigned prune_known_way(LLVMValueRef terminator);
bool prune_function(struct coro_arena *arena, LLVMValueRef function, bool *changed); /* false: memory ran out */
bool prune_knows_a_way(LLVMValueRef function); /* of some terminator */
/* For a function that verifies but for phis with entries for edges that were taken away: they lose these, and blocks
   without a way in go. False: memory ran out. */
bool prune_lost_edges(struct coro_arena *arena, LLVMValueRef function);
/* Puts into `seen` the blocks that can be reached without passing through `around`; NULL: all that can be reached. The
   function stays as it is. False: memory ran out. */
bool prune_reach(struct coro_arena *arena, LLVMValueRef function, LLVMBasicBlockRef around, struct coro_map *seen);

#endif
