/* Runs a planned pass string.
   Requires: plan, the passes.
   Guarantees: the transformed module; after an error the module must be discarded. */
#include "pipeline/pipeline.h"

#include "base/clock.h"
#include "ir/edit.h"
#include "ir/printed.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/Error.h"
#include "pass/call_frequency.h"
#include "pass/diagnose.h"
#include "pass/elide.h"
#include "pass/lower.h"
#include "pipeline/alloca_support.h"
#include "pipeline/client_passes.h"
#include "pipeline/coroutine_callers.h"
#include "pipeline/early_inline.h"
#include "pipeline/instrumentation.h"
#include "pipeline/llvm_passes.h"
#include "pipeline/newer_intrinsics.h"
#include "pipeline/print_passes.h"
#include "pipeline/reducible.h"
#include "pipeline/size_limits.h"
#include "pipeline/target_attributes.h"
#include "pipeline/verify_pending.h"
#include "pipeline/wave_module.h"

typedef coro_status pass_function(struct pass_run *run, LLVMValueRef function, bool *changed);

static pass_function *const functions[PASS_COUNT] = {
#define CORO_PASS(name, text, level) coro_pass_##name,
#include "pass/passes.def"
};

static const char module_target[] = "[module]";

enum { MAX_REPEATS = 16 }; /* limit of repeated visits, per wave, of functions that create coroutines */

static bool is_out_of_memory(const struct runner *r)
{
  return coro_arena_failed(r->run->arena) || coro_arena_failed(r->nonlocal.arena);
}

static coro_status poll_budget(struct runner *r)
{
  return coro_budget_poll(&r->run->budget) && !is_out_of_memory(r) ? CORO_OK : CORO_ENOMEM;
}

static bool has_pass(const struct pipe_step *step, enum pass_id pass)
{
  bool found = false;
  for (uint32_t p = 0; p < step->ours.count; p++)
    found |= step->ours.items[p]->pass == pass;
  return found;
}

static uint32_t count_presplit(const struct targets *targets)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < targets->functions.count; i++)
    count += targets->functions.items[i] && edit_is_presplit(targets->functions.items[i]);
  return count;
}

/* Queries about the whole module before a step visits functions: printed text of coroutines to split for the report,
   functions that create coroutines, and rarely executed annotated calls. */
static coro_status prepare_step(struct runner *r, const struct pipe_step *step, const struct targets *targets)
{
  bool few_targets = r->waves && waves_is_small(r->waves, targets->functions.count),
       splits = has_pass(step, PASS_split);
  coro_status status = splits && !few_targets ? lower_print(r->run, count_presplit(targets)) : CORO_OK;
  r->run->print = few_targets ? wave_module_print : NULL;
  if (!status && !few_targets && splits && !pass_identify(r->run))
    status = CORO_ENOMEM;
  if (!status && !few_targets && has_pass(step, PASS_elide) && !elide_find_candidates(r->run))
    status = CORO_ENOMEM;
  if (!status && has_pass(step, PASS_annotation_elide) &&
      !call_frequency_of_annotated(r->run, few_targets ? &targets->functions : NULL))
    status = CORO_ENOMEM;
  return status;
}

/* The verifier traverses all debug information reachable from a function. In waves of few functions, verification is
   postponed. */
static bool is_costly_to_verify(const struct runner *r)
{
  return r->waves && r->waves->is_small_wave && has_debug_info(r);
}

/* Whether the function must be verified before one of pycoro's passes visits it. */
static bool needs_verification(const struct runner *r, LLVMValueRef function)
{
  bool unverified_level = r->unverified_level.pass && !r->run->options->unverified;
  if (is_costly_to_verify(r) && r->last_change.maker != MADE_BY_CLIENT)
    return false;
  return function && (r->last_change.maker == MADE_BY_CLIENT || (unverified_level && edit_is_presplit(function)));
}

/* Runs one of pycoro's passes and frees its memory. */
static coro_status run_pycoro_pass(struct runner *r, const struct pipe_node *node, LLVMValueRef function, bool *changed)
{
  struct pass_run *run = r->run;
  bool doubtful = needs_verification(r, function);
  bool verify_whole = doubtful && r->last_change.maker != MADE_BY_CLIENT && has_debug_info(r);
  bool verify = doubtful && function != r->verified_function;
  coro_status status = CORO_OK;
  if (verify_whole || (verify && LLVMVerifyFunction(function, LLVMReturnStatusAction)))
    status = verify_all_pending(r);
  if (status)
    return status;
  r->verified_function = doubtful ? function : NULL;
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  run->reuse_storage = node->reuse_storage;
  run->spare_debug = node->spare_debug;
  run->elided_bytes = node->elided_bytes;
  run->modified_since_client = true;
  LLVMValueRef last = LLVMGetLastFunction(run->module);
  status = functions[node->pass](run, function, changed);
  if (is_out_of_memory(r) && status != CORO_EBUG)
    status = CORO_ENOMEM;
  coro_arena_rewind(run->arena, mark);
  run->function_changed |= *changed;
  if (status || !*changed)
    return status;
  r->verified_function = NULL;
  if (node->pass != PASS_elide ||
      nonlocal_exits_depend_on(&r->nonlocal, function)) /* otherwise it changed this function only */
    nonlocal_exits_reset(&r->nonlocal);
  struct author author = {MADE_BY_PYCORO, node->text};
  if (!verify_function_later(r, function, last))
    return CORO_ENOMEM;
  if (r->last_change.maker != MADE_BY_CLIENT)
    r->last_change = author;
  r->may_be_broken_by_either |= r->unverified_level.pass && !doubtful;
  if (!run->options->verify_each)
    return CORO_OK;
  return function ? verify_function_now(r, author, function, last) : verify_after_pass(r, author);
}

static bool applies_to(const struct pipe_node *node, LLVMValueRef function)
{
  return node->pass != PASS_CLIENT || node->client->level != CORO_PASS_COROUTINE || edit_is_presplit(function);
}

struct step_state { /* state of a step's iteration over its targets */
  const struct pipe_step *step;
  struct targets targets;
  bool *reported; /* indexed by pass of the step: a change was reported */
  double start;
};

/* Runs one pass on one target (NULL: the module). *again: the target must repeat the preceding steps. */
static coro_status run_pass_on_target(struct runner *r, struct step_state *s, uint32_t p, uint32_t t,
                                      LLVMValueRef function, bool *again)
{
  const struct pipe_node *node = s->step->ours.items[p];
  double start = coro_now();
  bool own = false, is_client = node->pass == PASS_CLIENT;
  coro_change changed = CORO_UNCHANGED;
  r->run->drives_loop = r->waves && function && waves_was_requested(r->waves, function);
  coro_status status =
      is_client ? client_pass_run(r, node, function, &changed) : run_pycoro_pass(r, node, function, &own);
  if (own)
    changed = CORO_CHANGED;
  if (status || changed == CORO_UNCHANGED)
    return status;
  s->reported[p] = true;
  *again = r->waves && node->pass == PASS_elide && waves_request_visit(r->waves, function);
  s->targets.moved |= is_client;
  if (is_client && has_pass(s->step, PASS_annotation_elide) && !call_frequency_of_annotated(r->run, NULL))
    return CORO_ENOMEM;
  const char *target = !function ? module_target : is_client ? s->targets.names[t] : pass_name_of(function);
  return instrumentation_after_pass(
      r, (coro_pass_info){node->text, target, coro_now() - start, !is_client, changed, NULL, NULL});
}

/* Runs all passes of the step on one target while it exists. */
static coro_status run_target(struct runner *r, struct step_state *s, uint32_t t)
{
  coro_status status = poll_budget(r);
  bool again = false;
  r->run->function_changed = false;
  r->verified_function = NULL;
  for (uint32_t p = 0; p < s->step->ours.count && !status && !again; p++) {
    bool gone;
    LLVMValueRef function = targets_get(&s->targets, r->run->module, t, &gone);
    if (!gone && applies_to(s->step->ours.items[p], function))
      status = run_pass_on_target(r, s, p, t, function, &again);
  }
  return status;
}

/* Reports passes without any change once, for the module. */
static coro_status report_unchanged_passes(struct runner *r, const struct step_state *s)
{
  coro_status status = CORO_OK;
  const struct pipe_node *changed = NULL;
  for (uint32_t p = 0; p < s->step->ours.count && !status; p++) {
    const struct pipe_node *node = s->step->ours.items[p];
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
  return r->last_change.maker == MADE_BY_CLIENT ? verify_pending(r)
                                                : verify_each_pass(r, (struct author){MADE_BY_PYCORO, changed->text});
}

/* As verify_pending; after the first wave only functions of the current wave can have changed. */
static coro_status verify_wave(struct runner *r)
{
  bool part = r->last_change.pass && r->waves && r->waves->count > 1 && r->last_change.maker != MADE_BY_CLIENT &&
              !r->run->options->unverified;
  return part && waves_verify(r->waves, true) ? CORO_OK : verify_pending(r);
}

/* Verifies the result of other passes before the step. */
static coro_status verify_before_step(struct runner *r, const struct pipe_step *step)
{
  if (step->in_level && r->waves && r->waves->is_small_wave && r->last_change.maker != MADE_BY_CLIENT &&
      (is_costly_to_verify(r) || r->run->options->unverified || waves_verify(r->waves, r->changed_anywhere)))
    return CORO_OK;
  if (step->in_level)
    return verify_pending(r);
  return r->unverified_level.pass ? verify_all_pending(r) : verify_wave(r);
}

static coro_status run_pycoro_step(struct runner *r, const struct pipe_step *step)
{
  struct step_state s = {.step = step, .start = coro_now()};
  bool own = r->last_change.pass && r->last_change.maker == MADE_BY_PYCORO; /* pycoro's passes trust each other */
  coro_status status = own ? CORO_OK : verify_before_step(r, step);
  if (status)
    return status;
  struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
  s.reported = CORO_NEW_ARRAY(r->run->arena, bool, step->ours.count);
  status = s.reported && targets_find(&s.targets, r, step) ? prepare_step(r, step, &s.targets) : CORO_ENOMEM;
  for (uint32_t t = 0; t < s.targets.functions.count && !status; t++)
    status = run_target(r, &s, t);
  if (!status)
    status = report_unchanged_passes(r, &s);
  ir_printed_free(&r->run->printed);
  r->run->print = NULL;
  r->run->has_id.arena = r->run->may_create_coroutine.arena = NULL;
  coro_arena_rewind(r->run->arena, mark);
  return status;
}

/* A function that is still presplit, or a call that only pycoro's passes can lower; NULL: none. */
static LLVMValueRef unlowered(struct runner *r, LLVMValueRef *call)
{
  *call = NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f)) {
    if (edit_is_presplit(f))
      return f;
    enum intrin intrin = LLVMIsDeclaration(f) ? intrin_of_function(&r->intrin, f) : INTRIN_NONE;
    LLVMUseRef use = intrin_is_coro(intrin) ? LLVMGetFirstUse(f) : NULL;
    if (use && edit_is_instruction(LLVMGetUser(use))) {
      *call = LLVMGetUser(use);
      return edit_function_of(*call);
    }
  }
  return NULL;
}

/* Checks each kind of element-wise processing once. */
static coro_status check_size_limits(struct runner *r, const struct pipe_step *step)
{
  bool pipeline = step->in_level || step->alias || step->kind == STEP_LEVEL;
  unsigned limits = (pipeline ? LIMIT_LEVEL : size_limits_of(step->llvm)) & ~(r->limits_checked ? r->limits : 0);
  coro_status status = limits ? size_limits_check(r->run, &r->counted, limits) : CORO_OK;
  r->limits = status ? 0 : (r->limits_checked ? r->limits : 0) | limits;
  return status;
}

/* LLVM's passes require a module that verifies, and may crash on any other. */
static coro_status prepare_for_llvm(struct runner *r, const struct pipe_step *step)
{
  coro_status status = step->follows ? CORO_OK : verify_before_step(r, step);
  if (!status && !r->limits_checked)
    status = target_attributes_check(r->run, &r->tried);
  if (!status)
    status = check_size_limits(r, step);
  r->limits_checked = !status;
  LLVMValueRef call, function = !status && step->alias ? unlowered(r, &call) : NULL;
  if (!function)
    return status;
  return pass_reject(r->run, "unlowered", function, call,
                     coro_arena_printf(r->run->arena,
                                       "'%s' contains LLVM's coroutine passes, and the module has coroutines that "
                                       "pycoro has not lowered",
                                       step->llvm),
                     "put coro-early,coro-split,coro-cleanup before it");
}

/* Whether globals-aa can be omitted: later waves do not use it. */
static bool can_omit_globals_aa(const struct runner *r, const struct pipe_step *step)
{
  return r->waves && r->waves->count > 1 && step->plain && !waves_use_internal_variables(r->waves);
}

/* Runs LLVM's passes with functions outside of the wave masked. */
static coro_status run_masked(struct runner *r, const struct pipe_step *step, const char *string, char **message)
{
  struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
  struct early_inline inlining = {.module = NULL};
  bool fine = step->kind != STEP_EARLY_INLINE || early_inline_begin(&inlining, r->run->arena, r->run->module);
  if (r->waves)
    waves_mask(r->waves);
  *message = NULL;
  coro_status status = fine ? llvm_run(&r->llvm_cache, r->run->module, string, message) : CORO_ENOMEM;
  if (r->waves)
    waves_unmask(r->waves);
  if (r->waves)
    waves_refresh(r->waves);
  if (inlining.module)
    early_inline_end(&inlining);
  coro_arena_rewind(r->run->arena, mark);
  return status;
}

static coro_status run_llvm(struct runner *r, const struct pipe_step *step)
{
  coro_status status = prepare_for_llvm(r, step);
  if (!status)
    status = poll_budget(r);
  bool in_work_module = !status && wave_module_applies(r, step);
  const char *passes = in_work_module                            ? step->local
                       : !status && can_omit_globals_aa(r, step) ? step->plain
                                                                 : step->safe;
  passes = r->waves ? pipe_without_verifier(r->run->arena, passes) : passes;
  const char *string = passes ? coro_arena_printf(r->run->arena, "module(%s)", passes) : NULL;
  if (!string)
    status = CORO_ENOMEM;
  if (status)
    return status;
  double start = coro_now();
  r->run->modified_since_client = true;
  nonlocal_exits_reset(&r->nonlocal);
  char *message;
  const char *target = module_target;
  status = in_work_module ? wave_module_run(r, string, &target, &message) : run_masked(r, step, string, &message);
  if (message) {
    status = coro_diags_add(r->run->diags, &(coro_diag){.status = CORO_EPIPELINE,
                                                        .rule = "pass-string",
                                                        .message = message,
                                                        .hint = "correct or remove the pass"});
    LLVMDisposeErrorMessage(message);
  }
  if (status)
    return status;
  double seconds = coro_now() - start;
  struct author author = {MADE_BY_LLVM, step->llvm};
  if (step->in_level)
    r->unverified_level = author;
  else
    verify_module_later(r, author);
  status = verify_each_pass(r, author);
  coro_pass_info info = {.name = step->llvm, .target = target, .seconds = seconds, .changed = CORO_MAY_HAVE_CHANGED};
  return status ? status : instrumentation_after_pass(r, info);
}

static bool has_coroutine_intrinsic(struct runner *r)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f)) {
    enum intrin intrin = intrin_of_function(&r->intrin, f);
    if (intrin_is_coro(intrin))
      return true;
  }
  return false;
}

/* Pre-inlines trivial functions before the first wave. No-op if the module has no coroutine intrinsics. */
static coro_status run_early_inline(struct runner *r, const struct pipe_step *step)
{
  return has_coroutine_intrinsic(r) && early_inline_applies(r->run->module) ? run_llvm(r, step) : CORO_OK;
}

static coro_status run_steps(struct runner *r, const struct pipe_plan *plan, uint32_t i, uint32_t end);

static coro_status run_waves(struct runner *r, const struct pipe_plan *plan, uint32_t first, uint32_t end)
{
  struct cgscc_waves waves;
  bool more = false;
  if (!has_coroutine_intrinsic(r))
    return run_steps(r, plan, first, end);
  coro_status status = waves_init(&waves, r->run);
  status = status ? status : waves_next(&waves, &more);
  r->waves = &waves;
  while (more && !status) {
    status = run_steps(r, plan, first, end);
    if (!status)
      status = waves_next(&waves, &more);
  }
  r->waves = NULL;
  waves_free(&waves);
  return status;
}

/* Runs coro-elide and a few passes on functions that create coroutines, before the wave's other passes. This may
   save a wave per elision, and costs as much as one. If it changes nothing, it is skipped until coro-elide changes a
   function after a wave. */
static coro_status run_coroutine_callers(struct runner *r, const struct pipe_plan *plan, uint32_t first, uint32_t end,
                                         bool jump_threading)
{
  coro_status status = CORO_OK;
  /* no waves: the module has no coroutine intrinsics, so no function creates a coroutine */
  if (!r->waves || r->waves->no_progress)
    return CORO_OK;
  bool more = coroutine_callers_select(r->run, r->waves);
  r->waves->no_progress = more;
  r->run->revisits_after_elision = true;
  r->run->jump_threading = jump_threading;
  for (int repeat = 0; more && repeat < MAX_REPEATS && !status; repeat++) {
    status = run_steps(r, plan, first, end);
    more = waves_select_requested(r->waves);
  }
  r->run->revisits_after_elision = r->run->jump_threading = false;
  waves_unrestrict(r->waves);
  return status;
}

/* After run_coroutine_callers: inlines the elided coroutines into the loops that drive them. */
static coro_status run_eliding_callers(struct runner *r, const struct pipe_plan *plan, uint32_t first, uint32_t end)
{
  coro_status status = CORO_OK;
  if (!r->waves)
    return CORO_OK;
  if (coroutine_callers_select_eliding(r->run, r->waves)) {
    r->run->jump_threading = true;
    status = run_steps(r, plan, first, end);
    r->run->jump_threading = false;
  }
  waves_unrestrict(r->waves);
  return status;
}

static coro_status run_steps(struct runner *r, const struct pipe_plan *plan, uint32_t i, uint32_t end)
{
  coro_status status = CORO_OK;
  while (i < end && !status) {
    const struct pipe_step *step = &plan->steps.items[i++];
    if (step->kind == STEP_OURS)
      status = run_pycoro_step(r, step);
    else if (step->kind == STEP_LLVM)
      status = run_llvm(r, step);
    else if (step->kind == STEP_EARLY_INLINE)
      status = run_early_inline(r, step);
    else if (step->kind == STEP_WAVES)
      status = run_waves(r, plan, i, step->otherwise);
    else if (step->kind == STEP_COROUTINE_CALLERS)
      status = run_coroutine_callers(r, plan, i, step->otherwise, step->jump_threading);
    else if (step->kind == STEP_ELIDING_CALLERS)
      status = run_eliding_callers(r, plan, i, step->otherwise);
    bool without = (step->kind == STEP_COND || step->kind == STEP_LEVEL) && !has_coroutine_intrinsic(r);
    if (without && step->kind == STEP_LEVEL)
      status = run_llvm(r, step);
    bool ran = step->kind == STEP_WAVES || step->kind == STEP_COROUTINE_CALLERS || step->kind == STEP_ELIDING_CALLERS;
    if (without || ran)
      i = step->otherwise;
  }
  return status;
}

/* Whether some step runs one of pycoro's passes. */
static bool lowers_coroutines(const struct pipe_plan *plan)
{
  for (uint32_t i = 0; i < plan->steps.count; i++)
    if (plan->steps.items[i].kind != STEP_LLVM)
      return true;
  return false;
}

coro_status pipe_run(const struct pipe_plan *plan, struct pass_run *run)
{
  struct runner r = {.run = run, .pending_arena = coro_arena_create(), .changed_anywhere = run->abi_count};
  if (!r.pending_arena)
    return CORO_ENOMEM;
  if (!nonlocal_exits_init(&r.nonlocal, &run->budget)) {
    coro_arena_free(r.pending_arena);
    return CORO_ENOMEM;
  }
  coro_arena_set_budget(r.pending_arena, &run->budget);
  run->nonlocal = &r.nonlocal;
  coro_map_init(&run->modified_functions, r.pending_arena);
  intrin_table_init(&r.intrin);
  coro_map_init(&r.tried, run->arena);
  coro_map_init(&r.counted, run->arena);
  run->intrin = &r.intrin;
  run->layout = LLVMGetModuleDataLayout(run->module);
  coro_status status = verify_each_pass(&r, (struct author){MADE_BY_READER, "reading"});
  if (!status && lowers_coroutines(plan))
    status = newer_intrinsics_lower(run);
  if (!status && has_coroutine_intrinsic(&r))
    status = alloca_support_check(run);
  if (!status)
    status = instrumentation_begin(&r);
  if (!status)
    status = run_steps(&r, plan, 0, plan->steps.count);
  if (!status)
    status = reducible_loops(&r);
  status = status ? status : verify_all_pending(&r);
  llvm_dispose(&r.llvm_cache);
  coro_arena_free(r.pending_arena);
  nonlocal_exits_free(&r.nonlocal);
  return status;
}
