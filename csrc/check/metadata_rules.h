/* Rules for metadata of the instructions of a clone: it states facts that the optimizer uses, so that the lowering must
   not add any.
   Requires: a simulation in progress. */
#pragma once

#include "check/skipped_code.h"

/* Checks the metadata of an instruction. False, with an answer: it has metadata that the instruction which it
   copies, or rematerializes, does not have. Apart from properties of loops, metadata of copies is compared together
   with the instructions. */
bool metadata_rules_check(const struct check_walk *w, uint32_t inst);
