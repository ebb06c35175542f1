/* Runs a step of passes that LLVM does not run: see pycoro_step.h. */
#include "pipeline/pycoro_step.h"

#include "base/clock.h"
#include "elide/call_frequency.h"
#include "ir/edit.h"
#include "ir/printed.h"
#include "passes/elide.h"
#include "pipeline/client_passes.h"
#include "pipeline/instrumentation.h"
#include "pipeline/targets.h"
#include "pipeline/verify_changes.h"
#include "pipeline/wave_module.h"
#include "run/diagnose.h"
#include "run/passes.h"
#include "split/lower.h"

typedef coro_status pass_function(struct pass_run *run, LLVMValueRef function, bool *changed);

static pass_function *const functions[PASS_COUNT] = {
#define CORO_PASS(name, text, level) coro_pass_##name,
#include "run/passes.def"
};

static const char module_target[] = "[module]";

static bool step_has_pass(const struct pipeline_step *step, enum pass_id pass)
{
  bool found = false;
  for (uint32_t p = 0; p < step->ours.count; p++)
    found |= step->ours.items[p]->pass == pass;
  return found;
}

static uint32_t count_presplit_coroutines(const struct targets *targets)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < targets->functions.count; i++)
    count += targets->functions.items[i] && edit_is_presplit_definition(targets->functions.items[i]);
  return count;
}

/* Estimates the frequency of annotated calls of a wave's few coroutines, or of all. */
static bool estimate_frequency_of_annotated_calls(struct runner *r, const pass_values *callees)
{
  pass_values callers = {0};
  if (!callees)
    return call_frequency_record_annotated(r->run, NULL);
  return call_frequency_find_callers(r->run->arena, callees, &callers) &&
         waves_sort_known_by_position(r->waves, r->run->arena, &callers) &&
         call_frequency_record_annotated(r->run, &callers);
}

/* Queries about the whole module before a step visits functions: printed text of coroutines to split for the report,
   functions that create coroutines, and rarely executed annotated calls. */
static coro_status query_module_before_step(struct runner *r, const struct pipeline_step *step,
                                            const struct targets *targets)
{
  bool few_targets = r->waves && waves_count_is_small_fraction(r->waves, targets->functions.count),
       splits = step_has_pass(step, PASS_split);
  coro_status status =
      splits && !few_targets ? lower_print_module_if_many(r->run, count_presplit_coroutines(targets)) : CORO_OK;
  r->run->print = few_targets ? wave_module_print_if_possible : NULL;
  if (!status && !few_targets && splits && !pass_find_functions_with_coro_id(r->run))
    status = CORO_ENOMEM;
  if (!status && !few_targets && step_has_pass(step, PASS_elide) && !elide_find_candidates(r->run))
    status = CORO_ENOMEM;
  if (!status && step_has_pass(step, PASS_annotation_elide) &&
      !estimate_frequency_of_annotated_calls(r, few_targets ? &targets->functions : NULL))
    status = CORO_ENOMEM;
  return status;
}

/* Runs one of pycoro's passes and frees its memory. */
static coro_status run_pycoro_pass(struct runner *r, const struct pass_node *node, LLVMValueRef function, bool *changed)
{
  struct pass_run *run = r->run;
  coro_status status = verify_before_pass(r, function);
  if (status)
    return status;
  bool doubtful = verification_may_be_broken_by_others(&run->verification, function);
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  run->parameter = node->parameter;
  run->modified_since_custom_pass = true;
  LLVMValueRef last = LLVMGetLastFunction(run->module);
  status = functions[node->pass](run, function, changed);
  if (runner_is_out_of_memory(r) && status != CORO_EBUG)
    status = CORO_ENOMEM;
  coro_arena_rewind(run->arena, mark);
  run->function_changed |= *changed;
  if (status || !*changed)
    return status;
  if (node->pass != PASS_elide ||
      nonlocal_exits_depend_on(&r->nonlocal, function)) /* otherwise it changed this function only */
    nonlocal_exits_reset(&r->nonlocal);
  if (!mark_function_changed_and_later_created(r, function, last, doubtful))
    return CORO_ENOMEM;
  verification_add_change(&run->verification, MADE_BY_PYCORO, node->text);
  if (!run->options->verify_each)
    return CORO_OK;
  return function ? verify_function_and_added_ones(r, function, last) : verify_module(r);
}

static bool pass_applies_to_function(const struct pass_node *node, LLVMValueRef function)
{
  return node->pass != PASS_CLIENT || node->client->level != CORO_PASS_COROUTINE ||
         edit_is_presplit_definition(function);
}

struct step_state { /* state of a step's iteration over its targets */
  const struct pipeline_step *step;
  struct targets targets;
  bool *reported; /* indexed by pass of the step: a change was reported */
  double start;
};

/* Runs one pass on one target (NULL: the module). *again: the target must repeat the preceding steps. */
static coro_status run_pass_on_target(struct runner *r, struct step_state *s, uint32_t p, uint32_t t,
                                      LLVMValueRef function, bool *again)
{
  const struct pass_node *node = s->step->ours.items[p];
  double start = coro_now();
  bool own = false, is_client = node->pass == PASS_CLIENT;
  coro_change changed = CORO_UNCHANGED;
  r->run->changed_by_elision = r->waves && function && waves_had_visit_request_when_restricted(r->waves, function);
  coro_status status =
      is_client ? client_pass_run(r, node, function, &changed) : run_pycoro_pass(r, node, function, &own);
  if (own)
    changed = CORO_CHANGED;
  if (status || changed == CORO_UNCHANGED)
    return status;
  s->reported[p] = true;
  *again = r->waves && node->pass == PASS_elide && waves_request_visit(r->waves, function);
  s->targets.moved |= is_client;
  if (is_client && step_has_pass(s->step, PASS_annotation_elide) && !estimate_frequency_of_annotated_calls(r, NULL))
    return CORO_ENOMEM;
  const char *target = !function ? module_target : is_client ? s->targets.names[t] : edit_value_name(function);
  return instrumentation_after_pass(
      r, (coro_pass_info){node->text, target, coro_now() - start, !is_client, changed, NULL, NULL});
}

/* Runs the step's passes on one target while it exists, until one requests another visit, which a later wave makes. */
static coro_status run_passes_until_revisit_requested(struct runner *r, struct step_state *s, uint32_t t)
{
  coro_status status = runner_poll_budget(r);
  bool again = false;
  r->run->function_changed = false;
  for (uint32_t p = 0; p < s->step->ours.count && !status && !again; p++) {
    bool gone;
    LLVMValueRef function = targets_get(&s->targets, r->run->module, t, &gone);
    if (!gone && pass_applies_to_function(s->step->ours.items[p], function))
      status = run_pass_on_target(r, s, p, t, function, &again);
  }
  return status;
}

/* Reports passes without any change once, for the module. */
static coro_status report_unchanged_and_verify_changes(struct runner *r, const struct step_state *s)
{
  coro_status status = CORO_OK;
  const struct pass_node *changed = NULL;
  for (uint32_t p = 0; p < s->step->ours.count && !status; p++) {
    const struct pass_node *node = s->step->ours.items[p];
    if (s->reported[p])
      changed = node;
    else
      status = instrumentation_after_pass(r, (coro_pass_info){.name = node->text,
                                                              .target = module_target,
                                                              .seconds = coro_now() - s->start,
                                                              .ours = node->pass != PASS_CLIENT});
  }
  if (!changed || status)
    return status;
  return verification_is_pending(&r->run->verification, MADE_BY_CLIENT)
             ? verify_changes(r, false)
             : verify_after_pass_if_verify_each(r, MADE_BY_PYCORO, changed->text);
}

coro_status pycoro_step_run(struct runner *r, const struct pipeline_step *step)
{
  struct step_state s = {.step = step, .start = coro_now()};
  coro_status status = verify_before_step(r, step);
  if (status)
    return status;
  struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
  s.reported = CORO_NEW_ARRAY(r->run->arena, bool, step->ours.count);
  status = s.reported && targets_list_functions(&s.targets, r, step) ? query_module_before_step(r, step, &s.targets)
                                                                     : CORO_ENOMEM;
  for (uint32_t t = 0; t < s.targets.functions.count && !status; t++)
    status = run_passes_until_revisit_requested(r, &s, t);
  if (!status)
    status = report_unchanged_and_verify_changes(r, &s);
  ir_printed_free(&r->run->printed);
  r->run->print = NULL;
  r->run->has_id.arena = r->run->may_create_coroutine.arena = NULL;
  coro_arena_rewind(r->run->arena, mark);
  return status;
}
