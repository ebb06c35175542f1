/* Control flow of a clone: a simulation of the presplit function. A forward walk assigns a presplit position to each
   place of the clone, and proves that the clone executes the same instructions in the same order.
   Requires: numbered clones.
   Guarantees: a claim for each operand of a copied instruction. */
#ifndef CORO_CHECK_SIMULATE_H
#define CORO_CHECK_SIMULATE_H

#include "check/model.h"

/* False, with an answer: the clone does not simulate the presplit function. */
bool simulate_clone(struct check *c, struct check_clone *k);

#endif
