/* Running of a planned pass string.
   Needs: plan, the passes. Leaves: the module transformed; after an error it is to be thrown away. */
#ifndef CORO_PIPELINE_PIPELINE_H
#define CORO_PIPELINE_PIPELINE_H

#include "pass/pass.h"
#include "pipeline/plan.h"

/* Has LLVM read every string of the plan that is meant for it, running none; some of LLVM's passes exist with a target
   only. What it does not understand is told of to the string. */
void pipe_check(const struct pipe_plan *plan, struct pipe_string *string);

/* ENOMEM also where the arena was stopped. run->module, context, arena, diags, report and options are given; the rest
   is filled in here. */
coro_status pipe_run(const struct pipe_plan *plan, struct pass_run *run);

#endif
