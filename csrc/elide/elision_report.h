/* Reports each elision decision as a remark and in the report.
   Requires: diagnose.
   Guarantees: the module is unchanged. */
#pragma once

#include "run/clones.h"

struct elision_decision {
  const char *pass, *name; /* pass and name of the remark: "coro-elide", "CoroElide" */
  LLVMValueRef caller;
  const struct clones *clones; /* clones of the created coroutine */
  LLVMValueRef creation; /* the call of the ramp, or llvm.coro.id of an inlined one */
  LLVMValueRef at; /* the instruction that decided it */
  const char *reason; /* the proof, or the obstacle */
  bool done;
};

/* Adds a remark and an elision entry; false: out of memory. */
bool elision_report(struct pass_run *run, const struct elision_decision *decision);
/* Adds the remark only, if elision was not requested. */
bool elision_report_remark_only(struct pass_run *run, const struct elision_decision *decision);
