/* Runs LLVM's passes on the few functions of a late CGSCC wave in a work module, independent of the module's size.
   Requires: cgscc_waves, work_module. */
#pragma once

#include "pipeline/runner.h"

/* Whether the step, a pass string without module passes, can run on the current small or restricted wave alone, at a
   cost proportional to its functions. */
bool wave_module_can_run_step(struct runner *r, const struct pipeline_step *step);
/* Runs it, as llvm_run_pass_string does. *target: text for a report, "[3 functions]", in the run's arena. */
coro_status wave_module_run(struct runner *r, const char *passes, const char **target, char **message);

/* A pass_print: prints the function in a separate module, at a cost proportional to its length. */
bool wave_module_print_if_possible(struct pass_run *run, LLVMValueRef function, struct ir_printed *printed);
