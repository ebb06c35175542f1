/* Static estimate of how often calls marked coro_elide_safe execute.
   Requires: branch_probabilities.
   Guarantees: the module is unchanged. */
#ifndef CORO_PASS_CALL_FREQUENCY_H
#define CORO_PASS_CALL_FREQUENCY_H

#include "pass/intrinsic_calls.h"

/* Fills run->marked for annotated calls in unsplit coroutines: call -> position among them in program order (from
   1), times two, plus 1 if rarely executed. `callees`: only calls of these; NULL: of all. False: out of memory. */
bool call_frequency_of_annotated(struct pass_run *run, const pass_values *callees);

#endif
