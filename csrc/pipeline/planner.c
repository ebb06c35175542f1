/* Adds the steps of a pipeline: single ones, and those of a group that runs in waves. */
#include "pipeline/planner.h"

#include <string.h>

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

/* ---- Waves of a cgscc(...) group that mixes LLVM's passes with others ---- */

/* the passes of a group that runs in waves, divided into alternating sequences of LLVM's passes and others */
struct segments {
  struct pass_node *group;
  const char *before; /* analyses requested before each LLVM pipeline */
  const char *plain; /* `before` without globals-aa; NULL: the pipelines need globals-aa */
  const char *local; /* `before` without module analyses; NULL: the pipelines need them */
  uint32_t from; /* number of the first element without a step */
  CORO_VEC(struct pass_node *) postponed; /* coro-elide, postponed to the next pass that LLVM does not run */
  uint32_t step; /* the last step that LLVM does not run; UINT32_MAX: none, or LLVM's passes follow it */
};

/* Adds a step for LLVM's passes of a group that runs in waves. */
static struct pipeline_step *add_llvm_step_of_group(struct planner *p, enum step_kind kind, struct pass_node *group)
{
  struct pipeline_step *step = planner_add_step(p, kind, group->at);
  if (!step)
    return NULL;
  step->group = group;
  step->in_level = pass_node_is_in_optimization_level(group);
  return step;
}

/* Adds a step for LLVM's elements since the last step. */
static bool add_llvm_step_since_last(struct planner *p, struct segments *s, uint32_t end)
{
  if (!pass_group_has_llvm_pass_in_range(s->group, s->from, end))
    return true;
  struct pipeline_step *step = add_llvm_step_of_group(p, STEP_LLVM, s->group);
  if (!step)
    return false;
  step->llvm = pass_group_print_range(p->arena, s->before, s->group, s->from, end, false);
  step->safe = pass_group_print_range(p->arena, s->before, s->group, s->from, end, true);
  step->plain = s->plain ? pass_group_print_range(p->arena, s->plain, s->group, s->from, end, true) : NULL;
  step->local = s->local ? pass_group_print_range(p->arena, s->local, s->group, s->from, end, true) : NULL;
  s->step = UINT32_MAX;
  s->from = end;
  return step->llvm && step->safe && (step->plain || !s->plain) && (step->local || !s->local);
}

static bool add_postponed_coro_elide(struct planner *p, struct segments *s)
{
  bool fine = true;
  for (uint32_t i = 0; i < s->postponed.count && fine; i++)
    fine = planner_add_pass_to_step_or_new_step(p, &s->step, s->postponed.items[i], LEVEL_CGSCC);
  s->postponed.count = 0;
  return fine;
}

/* Postpones coro-elide after LLVM's passes to the following pass: functions that it changes repeat the group, and
   nothing runs twice if it changes nothing. */
static bool add_pass_or_postpone_coro_elide(struct planner *p, struct segments *s, struct pass_node *node)
{
  if (node->pass == PASS_elide && pass_group_has_llvm_pass_in_range(s->group, s->from, node->number))
    return coro_vec_push(p->arena, &s->postponed, node);
  bool fine = add_llvm_step_since_last(p, s, node->number) && add_postponed_coro_elide(p, s) &&
              planner_add_pass_to_step_or_new_step(p, &s->step, node, LEVEL_CGSCC);
  s->from = node->number + 1;
  return fine;
}

static bool add_steps_of_group(struct planner *p, struct segments *s, struct pass_node *list, enum pass_level level)
{
  bool fine = true;
  for (struct pass_node *node = list->first; node && fine; node = node->next) {
    if (!node->has_pycoro_pass)
      planner_report_crashing_passes(p, node);
    else if (node->pass == PASS_LLVM)
      fine = add_steps_of_group(
          p, s, node, planner_check_group_and_return_level(p, node, level)); /* depth is bounded by the parser */
    else
      fine = !planner_check_level(p, node, level) || add_pass_or_postpone_coro_elide(p, s, node);
  }
  return fine;
}

static uint32_t number_pass_nodes(struct pass_node *node, uint32_t next)
{
  node->number = next++;
  for (struct pass_node *child = node->first; child; child = child->next)
    next = number_pass_nodes(child, next); /* depth is bounded by the parser */
  return next;
}

/* Passes before each wave of a level. globaldce deletes functions that were inlined everywhere. Masked functions are
   annotated, which is cheaper than letting each pass manager query them; removing the annotation from the others is a
   pass, too, which skips masked functions. */
static const char wave_prefix[] = "globaldce,";
static const char local_prefix[] = "function(require<should-not-run-function-passes>),function(invalidate<all>),";

static const struct pass_node *find_pass_in_group(const struct pass_node *node, enum pass_id pass, const char *name)
{
  bool is = node->pass == pass && !node->first && (!name || text_is_pass_name(node->text, name));
  const struct pass_node *found = is ? node : NULL;
  for (const struct pass_node *child = node->first; child && !found; child = child->next)
    found = find_pass_in_group(child, pass, name); /* depth is bounded by the parser */
  return found;
}

/* Prints the pass as the group has it; NULL: it does not have it, or out of memory. `as_passed_to_llvm`: with the
   parameters that are added for LLVM. */
static const char *print_pass_of_group(struct coro_arena *arena, const struct pass_node *group, const char *pass_name,
                                       bool as_passed_to_llvm)
{
  const struct pass_node *pass = find_pass_in_group(group, PASS_LLVM, pass_name);
  return pass ? pass_node_print_alone(arena, pass, as_passed_to_llvm) : NULL;
}

/* Whether state-machine jump threading applies to loops that drive a coroutine. */
static bool has_passes_for_state_threading(const struct pass_node *group)
{
  return find_pass_in_group(group, PASS_LLVM, "dfa-jump-threading") &&
         find_pass_in_group(group, PASS_LLVM, "jump-threading") &&
         find_pass_in_group(group, PASS_LLVM, "correlated-propagation") &&
         find_pass_in_group(group, PASS_LLVM, "loop-rotate");
}

/* The group's passes that simplify an inlined coroutine enough for further elision. Passes that create selects are
   excluded, since jump threading cannot thread them. */
static const char *print_passes_between_elisions(struct coro_arena *arena, const struct pass_node *group, bool safe)
{
  static const char *const names[] = {"inline", "sroa", "early-cse", "simplifycfg", "instcombine", "gvn"};
  enum { COUNT = sizeof names / sizeof *names, SIMPLIFY = 3 };
  const char *found[COUNT];
  for (int i = 0; i < COUNT; i++) {
    found[i] = print_pass_of_group(arena, group, names[i], safe);
    if (!found[i])
      return NULL;
  }
  if (has_passes_for_state_threading(group))
    found[SIMPLIFY] = "simplifycfg<no-speculate-blocks>";
  return coro_arena_printf(arena, "module(require<profile-summary>,cgscc(%s,function<eager-inv>(%s,%s,%s,%s,%s)))",
                           found[0], found[1], found[2], found[3], found[4], found[5]);
}

/* The group's passes that simplify a loop after its coroutine state has become constant, and thread a loop with
   remaining state. They run before loop passes change the loop: after rotation the state is tested at its end, where
   jump-threading applies. Exits separated only by state are merged, so the trip count becomes computable. */
static const char *print_passes_after_elisions(struct coro_arena *arena, const struct pass_node *group, bool safe)
{
  const char *rotate =
      has_passes_for_state_threading(group) ? print_pass_of_group(arena, group, "loop-rotate", safe) : NULL;
  const char *combine = print_pass_of_group(arena, group, "instcombine", safe);
  return rotate && combine
             ? coro_arena_printf(arena,
                                 "function<eager-inv>(simplifycfg,dfa-jump-threading,break-crit-edges,loop(%s),"
                                 "jump-threading,correlated-propagation,"
                                 "simplifycfg<bonus-inst-threshold=4>,%s)",
                                 rotate, combine)
             : NULL;
}

/* Adds a step of this kind with LLVM's passes of the group, and coro-elide before or after them. */
static bool plan_elision_steps_if_possible(struct planner *p, enum step_kind kind, struct pass_node *group,
                                           const char *passes_of(struct coro_arena *, const struct pass_node *, bool))
{
  const struct pass_node *elide = find_pass_in_group(group, PASS_elide, NULL);
  const char *passes = elide ? passes_of(p->arena, group, false) : NULL;
  const char *safe = elide ? passes_of(p->arena, group, true) : NULL;
  uint32_t index = p->plan->steps.count, own = UINT32_MAX;
  if (!passes || !safe)
    return !coro_arena_failed(p->arena);
  bool before = kind == STEP_ELIDING_CALLERS;
  bool fine = planner_add_step(p, kind, group->at) &&
              (!before || planner_add_pass_to_step_or_new_step(p, &own, elide, LEVEL_CGSCC));
  struct pipeline_step *llvm = fine ? add_llvm_step_of_group(p, STEP_LLVM, group) : NULL;
  if (!llvm)
    return false;
  llvm->llvm = passes;
  llvm->safe = safe;
  llvm->local = safe;
  fine = before || planner_add_pass_to_step_or_new_step(p, &own, elide, LEVEL_CGSCC);
  p->plan->steps.items[index].end_or_target = p->plan->steps.count;
  p->plan->steps.items[index].jump_threading = has_passes_for_state_threading(group);
  return fine;
}

/* Elides in functions that create coroutines before the wave's other passes. Each elision may enable another one,
   and none of these should need a wave. */
static bool plan_elisions_in_coroutine_callers(struct planner *p, struct pass_node *group)
{
  return plan_elision_steps_if_possible(p, STEP_COROUTINE_CALLERS, group, print_passes_between_elisions) &&
         plan_elision_steps_if_possible(p, STEP_ELIDING_CALLERS, group, print_passes_after_elisions);
}

/* Whether the inliner is the group's first pass. */
static bool begins_with_inliner(const struct pass_node *group)
{
  const struct pass_node *first = group;
  while (first->first)
    first = first->first;
  return !strcmp(first->text, "inline");
}

/* Pre-inlines trivial functions before the group. */
static bool plan_early_inline_if_inliner_is_first(struct planner *p, struct pass_node *group)
{
  if (!begins_with_inliner(group))
    return true;
  struct pipeline_step *step = add_llvm_step_of_group(p, STEP_EARLY_INLINE, group);
  if (step)
    step->llvm = step->safe = "require<profile-summary>,cgscc(inline)";
  return step;
}

/* The analysis requests up to the group without globals-aa and its invalidation, each followed by a comma. NULL: out
   of memory. */
static const char *print_analyses_without_globals_aa(struct planner *p, const struct pass_node *analyses,
                                                     const struct pass_node *group)
{
  const char *left = "";
  for (const struct pass_node *node = analyses; node != group && left; node = node->next) {
    bool out = !strcmp(node->text, "require<globals-aa>") || node->first;
    const char *one = out ? "" : pass_node_print(p->arena, node, node->next, true);
    left = !one ? NULL : out ? left : coro_arena_printf(p->arena, "%s%s,", left, one);
  }
  return left;
}

/* Prints what precedes the group's passes in their pass strings. `analyses`: the first analysis request before the
   group; NULL: none. */
static bool print_prefixes_of_segments(struct planner *p, struct segments *s, const struct pass_node *analyses)
{
  bool level = pass_node_is_in_optimization_level(s->group);
  const char *round = level ? coro_arena_printf(p->arena, "%s%s", wave_prefix, local_prefix) : "";
  const char *asked = analyses ? pass_node_print(p->arena, analyses, s->group, true) : "";
  s->before = asked && round ? coro_arena_printf(p->arena, "%s%s%s", round, asked, *asked ? "," : "") : NULL;
  if (!level)
    s->local = analyses ? NULL : "";
  if (!level || !analyses)
    return s->before;
  const char *left = print_analyses_without_globals_aa(p, analyses, s->group);
  s->plain = left ? coro_arena_printf(p->arena, "%s%s", round, left) : NULL;
  s->local = left ? coro_arena_printf(p->arena, "%s%s", local_prefix, left) : NULL;
  return s->before && s->plain && s->local;
}

bool planner_add_wave_steps_of_group(struct planner *p, struct pass_node *node, const struct pass_node *analyses)
{
  struct segments s = {.group = node, .step = UINT32_MAX};
  uint32_t end = number_pass_nodes(node, 0);
  bool fine = print_prefixes_of_segments(p, &s, analyses) && plan_early_inline_if_inliner_is_first(p, node);
  uint32_t index = p->plan->steps.count;
  fine = fine && planner_add_step(p, STEP_WAVES, node->at) && plan_elisions_in_coroutine_callers(p, node) &&
         add_steps_of_group(p, &s, node, LEVEL_CGSCC) && add_llvm_step_since_last(p, &s, end) &&
         add_postponed_coro_elide(p, &s);
  if (fine)
    p->plan->steps.items[index].end_or_target = p->plan->steps.count;
  return fine;
}
