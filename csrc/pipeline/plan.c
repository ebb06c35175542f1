/* Converts a parsed pass string to a list of steps: pycoro's passes, and strings for LLVM in between. */
#include "pipeline/plan.h"

#include <string.h>

#include "pipeline/planner.h"
#include "pipeline/print_passes.h"

#define AMONG(name, list) text_is_among_pass_names(name, list, sizeof list / sizeof *list)

/* LLVM's names of whole pipelines that contain its coroutine passes. */
static bool is_llvm_pipeline_with_coroutine_passes(const char *name)
{
  static const char *const aliases[] = {
#define LLVM_PIPELINE(name) name,
#include "llvm_pass_properties.def"
  };
  return AMONG(name, aliases);
}

/* The first element of the subtree for which `is` is true, or NULL. Depth is bounded by the parser. */
static const struct pass_node *find_first_matching_element(const struct pass_node *node, bool (*is)(const char *name))
{
  const struct pass_node *found = is(node->text) ? node : NULL;
  for (const struct pass_node *child = node->first; child && !found; child = child->next)
    found = find_first_matching_element(child, is);
  return found;
}

static bool add_llvm_step(struct planner *p, struct pass_node *first, const struct pass_node *end, bool follows)
{
  struct pipeline_step *step = planner_add_step(p, STEP_LLVM, first->at);
  if (!step)
    return false;
  for (struct pass_node *node = first; node != end; node = node->next) {
    planner_report_crashing_passes(p, node);
    step->alias |= find_first_matching_element(node, is_llvm_pipeline_with_coroutine_passes) != NULL;
  }
  step->first = first;
  step->end = end;
  step->in_level = pass_node_is_in_optimization_level(first);
  step->follows = follows;
  step->llvm = pass_node_print(p->arena, first, end, false);
  step->safe = pass_node_print(p->arena, first, end, true);
  return step->llvm && step->safe;
}

/* Whether the elements request an analysis, which lives for one LLVM pipeline only. */
static bool requests_analysis(const struct pass_node *first, const struct pass_node *end)
{
  bool found = false;
  for (const struct pass_node *node = first; node != end; node = node->next)
    found |= text_is_pass_name(node->text, "require") || requests_analysis(node->first, NULL);
  return found; /* depth is bounded by the parser */
}

/* Adds a sequence of LLVM's elements as steps, one per element. Passes within module(...) and function(...) become
   separate steps, except those of a level, which share analyses. */
static bool add_llvm_step_per_element_if_separable(struct planner *p, struct pass_node *first,
                                                   const struct pass_node *end, bool follows)
{
  if (first != end && (requests_analysis(first, end) || pass_node_is_in_optimization_level(first)))
    return add_llvm_step(p, first, end, follows);
  bool fine = true;
  for (struct pass_node *node = first; node != end && fine; node = node->next) {
    bool opens = node->first && (text_is_pass_name(node->text, "module") || text_is_pass_name(node->text, "function"));
    fine = opens ? add_llvm_step_per_element_if_separable(p, node->first, NULL, follows)
                 : add_llvm_step(p, node, node->next, follows);
    follows = true;
  }
  return fine;
}

/* With PASS_LLVM: whether LLVM runs the whole element. */
static bool contains_pass_of_id(const struct pass_node *node, enum pass_id pass)
{
  bool found = node->pass == pass && (pass != PASS_LLVM || !node->has_pycoro_pass);
  for (const struct pass_node *child = node->first; child && !found; child = child->next)
    found = contains_pass_of_id(child, pass); /* depth is bounded by the parser */
  return found;
}

/* Whether a CGSCC group needs waves. Without LLVM's passes in it, pycoro's follow the call graph order directly. */
static bool needs_waves(const struct pass_node *group, enum pass_level outside)
{
  return outside == LEVEL_MODULE && text_is_pass_name(group->text, "cgscc") && group->group &&
         contains_pass_of_id(group, PASS_split) && contains_pass_of_id(group, PASS_LLVM);
}

static bool is_analysis_request_or_invalidation(const struct pass_node *node)
{
  bool only = node->first && text_is_pass_name(node->text, "function");
  for (const struct pass_node *child = node->first; child && only; child = child->next)
    only = text_is_pass_name(child->text, "require") || text_is_pass_name(child->text, "invalidate");
  return only || text_is_pass_name(node->text, "require") || text_is_pass_name(node->text, "invalidate");
}

/* The first of the analysis requests at the end of the sequence, which apply to the following element. */
static struct pass_node *trailing_analysis_requests(struct pass_node *row, const struct pass_node *end)
{
  struct pass_node *first = NULL;
  for (struct pass_node *node = row; node != end; node = node->next)
    first = !is_analysis_request_or_invalidation(node) ? NULL : first ? first : node;
  return first;
}

static bool plan_pass_list(struct planner *p, struct pass_node *list, enum pass_level level);

static bool plan_pass_group(struct planner *p, struct pass_node *node, enum pass_level outside)
{
  enum pass_level inside = planner_check_group_and_return_level(p, node, outside);
  bool cond = text_is_pass_name(node->text, "coro-cond"), level = node->level && !node->wrong;
  uint32_t index = p->plan->steps.count;
  if (cond || level) {
    struct pipeline_step *step = planner_add_step(p, cond ? STEP_COND : STEP_LEVEL, node->at);
    if (!step)
      return false;
    step->llvm = step->safe = node->level;
  }
  bool fine = plan_pass_list(p, node, inside);
  if ((cond || level) && fine)
    p->plan->steps.items[index].end_or_target = p->plan->steps.count;
  return fine;
}

/* Whether a CGSCC pass is visited together with `before`, the previous one in its list. At the outermost level every
   element is a separate pipeline, so only adjacent ones are joined; the same holds for a client's pass, which must see
   the result of preceding elements. pycoro's passes are joined in the order of the table. */
static bool is_visited_with_previous_pass(const struct pass_node *before, const struct pass_node *node,
                                          enum pass_level level)
{
  if (before->pass == PASS_CLIENT || node->pass == PASS_CLIENT)
    return before->next == node;
  return (level == LEVEL_CGSCC || before->next == node) && before->pass < node->pass;
}

static bool plan_pass_list(struct planner *p, struct pass_node *list, enum pass_level level)
{
  struct pass_node *row = list->first; /* start of a sequence of LLVM's elements */
  const struct pass_node *before = NULL; /* the last CGSCC pass of this list that LLVM does not run */
  uint32_t joins = UINT32_MAX; /* its step */
  bool fine = true;
  for (struct pass_node *node = list->first; node && fine; node = node->next) {
    if (!node->has_pycoro_pass)
      continue;
    bool waves = needs_waves(node, level) && !node->wrong;
    struct pass_node *analyses = waves ? trailing_analysis_requests(row, node) : NULL;
    fine = add_llvm_step_per_element_if_separable(p, row, analyses ? analyses : node, false);
    row = node->next;
    if (fine && waves) {
      fine = planner_add_wave_steps_of_group(p, node, analyses);
      continue;
    }
    if (!fine || node->wrong) {
      fine = fine && plan_pass_list(p, node, level); /* reports its errors */
      continue;
    }
    if (node->pass == PASS_LLVM) {
      fine = plan_pass_group(p, node, level);
      continue;
    }
    enum pass_level own = pass_node_ir_unit(node);
    bool cgscc = own == LEVEL_CGSCC;
    uint32_t alone = UINT32_MAX;
    if (cgscc && !(before && is_visited_with_previous_pass(before, node, level)))
      joins = UINT32_MAX;
    fine = !planner_check_level(p, node, level) ||
           planner_add_pass_to_step_or_new_step(p, cgscc ? &joins : &alone, node, own);
    if (cgscc)
      before = node;
  }
  return fine && add_llvm_step_per_element_if_separable(p, row, NULL, false);
}

bool pipeline_plan(struct pipeline_plan *plan, struct pass_string *string, struct pass_node *root)
{
  struct planner p = {string->arena, string, plan};
  *plan = (struct pipeline_plan){0};
  bool fine = plan_pass_list(&p, root, LEVEL_MODULE);
  plan->canonical = pass_tree_print_canonical(p.arena, root, string->expand);
  return fine && plan->canonical;
}
