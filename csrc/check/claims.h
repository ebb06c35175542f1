/* Proves claims by walking backwards from the program point of a claim to the definition of its carrier (the value in a
   clone that it is about), through suspends into the clones that suspended. Each assumption of a proof becomes another
   claim, once for each block. The claims that hold are the greatest fixed point of the rules: cyclic proofs are sound,
   because an execution is finite and each step of a proof is earlier in it.
   Requires: simulated clones, and the frame accesses.
   Guarantees: a claim that contradicts a rule is refuted; one that no rule covers is unsupported. */
#pragma once

#include "check/check_data.h"

/* Proves all claims. False: out of memory. */
bool claims_decide_all(struct check *c);
