/* Estimates statically how often calls marked coro_elide_safe execute.
   Requires: branch_probabilities.
   Guarantees: the module is unchanged. */
#ifndef CORO_ELIDE_CALL_FREQUENCY_H
#define CORO_ELIDE_CALL_FREQUENCY_H

#include "run/intrinsic_calls.h"

/* Fills run->annotated_frequency for annotated calls in unsplit coroutines: call -> 2 * n + rare, for the n-th of
   these calls in program order (from 1); rare is 1 if it is rarely executed, else 0. `callees`: only calls of these;
   NULL: of all. False: out of memory. */
bool call_frequency_of_annotated(struct pass_run *run, const pass_values *callees);

#endif
