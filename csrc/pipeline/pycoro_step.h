/* Runs a step of passes that LLVM does not run: pycoro's and the client's, function by function.
   Requires: runner, the passes.
   Guarantees: reports of the passes; after an error the module must be discarded. */
#pragma once

#include "pipeline/runner.h"

coro_status pycoro_step_run(struct runner *r, const struct pipeline_step *step);
