/* Proves by forward simulation that a clone executes the instructions of the presplit function, in the same order. A
   walk in reverse postorder assigns a presplit position to each program point of the clone. Every instruction is either
   a copy of the next presplit one, or added code (added_code.h); a presplit one without copy must be droppable
   (skipped_code.h). Two reordered stores are refuted, even if that is correct.
   Requires: numbered clones.
   Guarantees: a claim for each operand of a copied instruction. */
#pragma once

#include "check/check_data.h"

/* Checks that the clone simulates the presplit function. False, with an answer: it does not. */
bool simulate_clone(struct check *c, struct check_clone *k);
