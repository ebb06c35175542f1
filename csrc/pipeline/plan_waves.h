/* Plans a CGSCC group that runs in waves: alternating sequences of LLVM's passes and others.
   Requires: planner.
   Guarantees: steps in the arena. */
#ifndef CORO_PIPELINE_PLAN_WAVES_H
#define CORO_PIPELINE_PLAN_WAVES_H

#include "pipeline/planner.h"

/* `analyses`: the first of the analysis requests before the group; NULL: none. False: out of memory. */
bool planner_add_waves(struct planner *p, struct pass_node *node, const struct pass_node *analyses);

#endif
