/* LLVM's passes on the few functions that are in turn in a round.
   Requires: rounds, work_module. */
#ifndef CORO_PIPELINE_FEW_H
#define CORO_PIPELINE_FEW_H

#include "pipeline/runner.h"

/* Whether a pass string that looks at functions alone can run on those in turn, at a cost that follows these. */
bool few_are_in_turn(struct runner *r, const struct pipe_step *step);
/* Runs it so, as llvm_run does. *target: what a report is to call the functions, in the run's arena. */
coro_status few_run(struct runner *r, const char *passes, const char **target, char **message);

#endif
