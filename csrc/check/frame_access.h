/* Stores of the lowering to the frame, by *cells*: the ends of all accessed byte ranges divide the frame, so that an
   access covers whole cells and most cover one.
   Requires: numbered clones.
   Guarantees: the last store to a cell in a block is found without a search. */
#pragma once

#include "check/check_data.h"

/* Whether the call in the ramp is an llvm.memcpy, which copies content into the frame. */
bool frame_access_is_memcpy_of_ramp(const struct check_clone *k, uint32_t inst);
/* The first cell that starts at or after the offset. */
uint32_t frame_access_first_cell_from(const struct check *c, uint64_t offset);
/* Finds all accesses of the clones to the frame by instructions of the ABI and by reloads. False: out of memory. */
bool find_frame_accesses_of_clones(struct check *c);
/* Whether the bytes are shared with an alloca whose address escapes. */
bool frame_access_may_be_aliased(const struct check *c, uint64_t offset, uint64_t size);
/* The last store that overlaps the bytes before place `at` (as in check_event) of the block; NULL: none. */
const struct check_store *frame_access_last_store_or_null(const struct check *c, const struct check_clone *k,
                                                          uint32_t block, uint32_t at, uint64_t offset, uint64_t size);
