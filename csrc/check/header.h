/* Checks the header of a frame of the switched-resume ABI: what the clone stores as resume function, destroy function
   and suspend index before it suspends.
   Requires: a simulated clone.
   Guarantees: at each suspend the header holds what the dispatch (dispatch.h) needs to continue there. */
#pragma once

#include "check/skipped_code.h"

/* Checks a store of the ABI to the frame, at the walk's position. */
bool header_check_store_and_record_access(struct check_walk *w, uint32_t inst, uint64_t offset);
/* Proves the header at each suspend and llvm.coro.save of the clone, and that the clone does not access the frame
   after a suspend. In other ABIs it only computes k->header_in. */
bool check_header_at_exits_and_frame_accesses(struct check *c, struct check_clone *k);
