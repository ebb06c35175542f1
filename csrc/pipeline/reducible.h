/* Reducible loops for targets that need them (LLVM_REDUCIBLE_LOOPS in facts/targets.def): the last step of a run in
   which coro-cleanup was run, because jump threading would undo it earlier.
   Requires: runner. Guarantees: a module that verifies. */
#ifndef CORO_PIPELINE_REDUCIBLE_H
#define CORO_PIPELINE_REDUCIBLE_H

#include "pipeline/runner.h"

coro_status reducible_loops(struct runner *r);

#endif
