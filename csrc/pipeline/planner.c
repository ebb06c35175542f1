/* Functions that plan and plan_waves share: see planner.h. */
#include "pipeline/planner.h"

#include "guards/crashing_passes.h"
#include "llvm_version.h"
#include "pipeline/print_passes.h"

enum pass_level planner_check_group_and_return_level(struct planner *p, struct pass_node *node, enum pass_level outside)
{
  for (const struct pipeline_group *group = pipeline_groups; group->name; group++) {
    if (!text_is_pass_name(node->text, group->name))
      continue;
    if (group->outermost < outside)
      pass_node_add_error(p->string, node,
                          coro_arena_printf(p->arena, "'%s%s' cannot be used in a %s pipeline",
                                            pass_node_name_as_written(node), node->level ? "" : "(...)",
                                            pipeline_level_names[outside]),
                          "move it out of its group");
    return group->inside;
  }
  pass_node_add_error(p->string, node,
                      coro_arena_printf(p->arena, "'%s(...)' cannot hold passes that LLVM does not run", node->text),
                      "put them in module(...), cgscc(...), function(...) or coro-cond(...)");
  return outside;
}

struct pipeline_step *planner_add_step(struct planner *p, enum step_kind kind, uint32_t at)
{
  struct pipeline_step step = {.kind = kind, .at = at};
  return coro_vec_push(p->arena, &p->plan->steps, step) ? &p->plan->steps.items[p->plan->steps.count - 1] : NULL;
}

void planner_report_crashing_passes(struct planner *p, struct pass_node *node)
{
  const char *hint = crashing_pass_hint_or_null_if_safe(node, p->string->triple);
  if (hint)
    pass_node_add_error(
        p->string, node,
        coro_arena_printf(p->arena, LLVM_NAME " terminates the process in '%s' when a pass string runs it", node->text),
        hint);
  for (struct pass_node *child = node->first; child; child = child->next)
    planner_report_crashing_passes(p, child); /* depth is bounded by the parser */
}

bool planner_check_level(struct planner *p, struct pass_node *node, enum pass_level outside)
{
  enum pass_level level = pass_node_ir_unit(node);
  if (level < outside)
    pass_node_add_error(p->string, node,
                        coro_arena_printf(p->arena, "'%s' is a %s pass and cannot be used in a %s pipeline", node->text,
                                          pipeline_level_names[level], pipeline_level_names[outside]),
                        "move it out of its group");
  return level >= outside;
}

bool planner_add_pass_to_step_or_new_step(struct planner *p, uint32_t *step_index_or_none, const struct pass_node *node,
                                          enum pass_level level)
{
  if (*step_index_or_none == UINT32_MAX) {
    *step_index_or_none = p->plan->steps.count;
    if (!planner_add_step(p, STEP_OURS, node->at))
      return false;
  }
  struct pipeline_step *step = &p->plan->steps.items[*step_index_or_none];
  step->level = level;
  step->in_level = pass_node_is_in_optimization_level(node);
  step->includes_client |= node->pass == PASS_CLIENT;
  return coro_vec_push(p->arena, &step->ours, node);
}
