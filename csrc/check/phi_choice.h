/* Computes the successor of a presplit branch that a clone lacks, from the phi that decides it and that the clone has.
   The clone may lack the edges on which the presplit phi is another constant.
   Requires: a simulation in progress.
   Guarantees: does not use the lowering's analysis of these branches (analysis/phi_branches.h). */
#pragma once

#include "check/skipped_code.h"

/* The index of a successor whose block all constants of the clone's phi select; CONSTANT_SUCCESSOR_UNKNOWN: none. */
unsigned phi_choice_successor_or_unknown(const struct check_walk *w, uint32_t terminator);
