/* Proves claims by walking back from the place of a claim to where its carrier was defined, through suspends into the
   clones that suspended. Each assumption of a proof becomes another claim, once for each block. The claims that hold
   are the greatest fixed point of the rules.
   Requires: simulated clones, and the frame accesses.
   Guarantees: a claim without a rule is refuted or unsupported. */
#ifndef CORO_CHECK_CLAIMS_H
#define CORO_CHECK_CLAIMS_H

#include "check/model.h"

/* Proves all claims. False: out of memory. */
bool claims_prove(struct check *c);

#endif
