/* The part of the dataflow analysis of headers (header.h) that is about whether control has suspended: its meet, and
   what a branch adds. A branch separates the paths if a suspend's result decides it, or a phi of such results and
   constants: on each edge into the phi's block the state and the incoming value are known. An edge that the clone never
   takes has no state. If LLVM leaves the outcome of a branch open, no edge is ruled out. If control has suspended at a
   suspend, the result of this suspend is -1, because a suspended coroutine does not suspend again before it is resumed.
   Requires: a simulated clone. Guarantees: SUSPENDED_NO only where control has suspended on no path. */
#pragma once

#include "check/check_data.h"

struct check_suspended_at suspended_meet(struct check_suspended_at a, struct check_suspended_at b);
/* Meets the states over all edges from block `from`, which ends in state `suspended`, not SUSPENDED_NO, to block
   `to`. */
struct check_suspended_at suspended_meet_on_edges(const struct check *c, const struct check_clone *k, uint32_t from,
                                                  uint32_t to, struct check_suspended_at suspended);
/* Whether control has suspended, or the frame was freed, on all paths; also if there is no path. */
bool suspended_is_always_or_unreached(struct check_suspended_at suspended);
/* The same at the end of a block of a clone whose header was analyzed. */
bool suspended_is_always_after(const struct check_clone *k, uint32_t block);
