/* Lists the functions that a step of the pipeline visits. Clients' passes may rename, delete and replace them.
   Requires: call_graph.
   Guarantees: the module is unchanged. */
#pragma once

#include "pipeline/runner.h"
#include "run/intrinsic_calls.h"

struct targets {
  pass_values functions;  /* at the start of the step; a single NULL for a module pass */
  const char **names;     /* if the step includes a client's pass, else NULL */
  uint32_t *nameless;     /* number of unnamed functions before each; else NULL */
  bool moved;             /* functions may have been replaced */
};

/* Lists the targets of the step's level. False: out of memory. */
bool targets_list_functions(struct targets *targets, struct runner *r, const struct pipeline_step *step);
/* The current function at an index; *gone: it no longer exists, or has no body. */
LLVMValueRef targets_get(const struct targets *targets, LLVMModuleRef module, uint32_t index, bool *gone);
