/* The functions that a step goes to, which passes of the caller's may rename, remove and put others in the place of.
   Needs: order. Leaves: the module as it was. */
#ifndef CORO_PIPELINE_TARGETS_H
#define CORO_PIPELINE_TARGETS_H

#include "pass/calls.h"
#include "pipeline/runner.h"

struct targets {
  pass_values functions;  /* as they were when the step began; one NULL for a pass on the module */
  const char **names;     /* of each, where a pass of the caller's is among those of the step, else NULL */
  uint32_t *nameless;     /* how many functions without a name stand before it; likewise */
  bool moved;             /* functions may not be where they were */
};

/* Those of the step's level. False: memory ran out. */
bool targets_find(struct targets *targets, struct runner *r, const struct pipe_step *step);
/* The function as the module has it now; *gone: it has no such function with a body any more. */
LLVMValueRef targets_get(const struct targets *targets, LLVMModuleRef module, uint32_t index, bool *gone);

#endif
