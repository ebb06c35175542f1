/* State of planning a pass pipeline, and functions that add steps.
   Requires: plan.
   Guarantees: errors are added to the pass string (struct pass_string). */
#pragma once

#include "pipeline/plan.h"

struct planner {
  struct coro_arena *arena;
  struct pass_string *string;
  struct pipeline_plan *plan;
};

/* NULL: out of memory. */
struct pipeline_step *planner_add_step(struct planner *p, enum step_kind kind, uint32_t at);
/* Adds a pass that LLVM does not run to the step *step_index_or_none, or to a new one if that is UINT32_MAX. In a
   CGSCC step all passes visit a callee before its callers, as coro-annotation-elide requires for unsplit callers. */
bool planner_add_pass_to_step_or_new_step(struct planner *p, uint32_t *step_index_or_none, const struct pass_node *node,
                                          enum pass_level level);
/* The level at which a group runs its elements. */
enum pass_level planner_check_group_and_return_level(struct planner *p, struct pass_node *node,
                                                     enum pass_level outside);
/* Whether the pass may run at this level. */
bool planner_check_level(struct planner *p, struct pass_node *node, enum pass_level outside);
/* Reports every element that would terminate the process, with an alternative. */
void planner_report_crashing_passes(struct planner *p, struct pass_node *node);
/* Plans a cgscc(...) group of a pass string that mixes LLVM's passes with others. It runs in waves (see
   cgscc/cgscc_waves.h): sets of functions, callees before callers, on which each pass runs in turn. `analyses`: the
   first of the analysis requests before the group; NULL: none. False: out of memory. */
bool planner_add_wave_steps_of_group(struct planner *p, struct pass_node *node, const struct pass_node *analyses);
