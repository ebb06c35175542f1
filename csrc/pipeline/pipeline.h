/* Runs a planned pass string.
   Requires: plan, the passes.
   Guarantees: the transformed module; after an error the module must be discarded. */
#pragma once

#include "pipeline/plan.h"
#include "run/pass.h"

/* Lets LLVM parse every LLVM string of the plan, running none. Some LLVM passes exist with a target only. Reports
   errors to the string. */
void pipeline_check_llvm_passes(const struct pipeline_plan *plan, struct pass_string *string);

/* ENOMEM also if the arena was stopped. The caller sets run->module, context, arena, diags, report and options. */
coro_status pipeline_run(const struct pipeline_plan *plan, struct pass_run *run);
