/* Runs a step of the pipeline that consists of LLVM's passes; in a CGSCC wave only on the wave's functions.
   Requires: runner, llvm_passes, wave_module.
   Guarantees: LLVM's passes get a module that they can process, or the step reports an error. */
#pragma once

#include "pipeline/runner.h"

coro_status llvm_step_run(struct runner *r, const struct pipeline_step *step);
