/* Estimates statically how often calls marked coro_elide_safe execute.
   Requires: graph, LLVM-C.
   Guarantees: the module is unchanged. */
#pragma once

#include "run/intrinsic_calls.h"

/* Lists the unsplit functions with annotated calls of the callees, in the order of uses, which depends on how the
   module was read. False: out of memory. */
bool call_frequency_find_callers(struct coro_arena *arena, const pass_values *callees, pass_values *callers);
/* Fills run->annotated_frequency for annotated calls in unsplit coroutines: call -> 2 * n + rare, for the n-th of
   these calls in program order (from 1); rare is 1 if it is rarely executed, else 0. `callers`: only calls in these, in
   this order; NULL: in all functions. False: out of memory. */
bool call_frequency_record_annotated(struct pass_run *run, const pass_values *callers);
