/* Makes loops reducible, by transform/loop_entry.h, for targets that require it (LLVM_REDUCIBLE_LOOPS in
   llvm_targets.def). It is the last step of a run that includes coro-cleanup, because jump threading could undo it.
   Requires: runner.
   Guarantees: a module that verifies. */
#ifndef CORO_PIPELINE_REDUCIBLE_H
#define CORO_PIPELINE_REDUCIBLE_H

#include "pipeline/runner.h"

coro_status make_loops_reducible_for_target(struct runner *r);

#endif
