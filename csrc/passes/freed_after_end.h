/* Finds the unwind ends after which nothing is left to destroy, because the clones free the frame on every path.
   Requires: a switched-resume coroutine before coro-split.
   Guarantees: linear in its blocks and edges, and in the instructions of blocks with a coro.free, suspend or end; the
   function is unchanged. */
#pragma once

#include "base/map.h"
#include "run/intrinsic_calls.h"

/* Adds these llvm.coro.end to the map. `calls`: the function's calls of each intrinsic, indexed by enum intrin. False:
   out of memory. */
bool find_ends_after_freed_frame(struct pass_run *run, LLVMValueRef function, const pass_values *calls,
                                 struct coro_map *ends);
/* Whether clones take an edge of the terminator: not the true edge of a branch on llvm.coro.is_in_ramp. */
bool freed_is_edge_of_clones(const struct pass_run *run, LLVMValueRef terminator, unsigned successor);
