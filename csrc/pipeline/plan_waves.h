/* Plans a cgscc(...) group of a pass string that mixes LLVM's passes with others. It runs in waves (see
   cgscc/cgscc_waves.h): sets of functions, callees before callers, on which each pass runs in turn.
   Requires: planner.
   Guarantees: steps in the arena. */
#pragma once

#include "pipeline/planner.h"

/* `analyses`: the first of the analysis requests before the group; NULL: none. False: out of memory. */
bool planner_add_wave_steps_of_group(struct planner *p, struct pass_node *node, const struct pass_node *analyses);
