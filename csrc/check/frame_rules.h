/* Rules for single loads and stores that the lowering makes in the frame: each is a reload, a spill or an access to the
   header.
   Requires: numbered clones.
   Guarantees: the memory of allocas is only written by presplit code and by copies into the frame. */
#pragma once

#include "check/check_data.h"

/* Sorts the fields that spills must not touch. False: out of memory. */
bool frame_rules_sort_fields(struct check *c);
/* Whether a load or store at `offset` is inside of the frame, aligned, and neither volatile nor atomic. */
bool frame_rules_check_access(struct check *c, const struct check_clone *k, uint32_t inst, uint64_t offset);
/* Whether a store at `offset` writes a whole field of the header, or bytes that belong to spills. */
bool frame_rules_check_store(struct check *c, const struct check_clone *k, uint32_t inst, uint64_t offset);
