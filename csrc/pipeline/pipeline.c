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

static const char whole[] = "[module]";

enum { MOST_TIMES = 16 }; /* limit of repeated visits, per wave, of functions that create coroutines */

static bool ran_out(const struct runner *r)
{
  return coro_arena_failed(r->run->arena) || coro_arena_failed(r->jumping.arena);
}

static coro_status breathe(struct runner *r)
{
  return coro_budget_poll(&r->run->budget) && !ran_out(r) ? CORO_OK : CORO_ENOMEM;
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
static coro_status look_ahead(struct runner *r, const struct pipe_step *step, const struct targets *targets)
{
  bool few = r->rounds && waves_is_small(r->rounds, targets->functions.count), splits = has_pass(step, PASS_split);
  coro_status status = splits && !few ? lower_print(r->run, count_presplit(targets)) : CORO_OK;
  r->run->print = few ? wave_module_print : NULL;
  if (!status && !few && splits && !pass_identify(r->run))
    status = CORO_ENOMEM;
  if (!status && !few && has_pass(step, PASS_elide) && !elide_find_candidates(r->run))
    status = CORO_ENOMEM;
  if (!status && has_pass(step, PASS_annotation_elide) &&
      !call_frequency_of_annotated(r->run, few ? &targets->functions : NULL))
    status = CORO_ENOMEM;
  return status;
}

/* The verifier traverses all debug information reachable from a function. In waves of few functions, verification is
   postponed. */
static bool is_costly_to_verify(const struct runner *r)
{
  return r->rounds && r->rounds->few && is_whole_verification_cheaper(r);
}

/* Whether the function must be verified before one of pycoro's passes visits it. */
static bool is_doubtful(const struct runner *r, LLVMValueRef function)
{
  bool believed = r->believed.pass && !r->run->options->unverified;
  if (is_costly_to_verify(r) && r->unverified.maker != MADE_BY_CLIENT)
    return false;
  return function && (r->unverified.maker == MADE_BY_CLIENT || (believed && edit_is_presplit(function)));
}

/* Runs one of pycoro's passes and frees its memory. */
static coro_status run_own(struct runner *r, const struct pipe_node *node, LLVMValueRef function, bool *changed)
{
  struct pass_run *run = r->run;
  bool seen = is_doubtful(r, function);
  bool at_once = seen && r->unverified.maker != MADE_BY_CLIENT && is_whole_verification_cheaper(r);
  bool look = seen && function != r->assured;
  coro_status status = CORO_OK;
  if (at_once || (look && LLVMVerifyFunction(function, LLVMReturnStatusAction)))
    status = verify_all_pending(r);
  if (status)
    return status;
  r->assured = seen ? function : NULL;
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  run->reuse_storage = node->reuse_storage;
  run->spare_debug = node->spare_debug;
  run->elided_bytes = node->elided_bytes;
  run->touched = true;
  LLVMValueRef last = LLVMGetLastFunction(run->module);
  status = functions[node->pass](run, function, changed);
  if (ran_out(r) && status != CORO_EBUG)
    status = CORO_ENOMEM;
  coro_arena_rewind(run->arena, mark);
  run->edited |= *changed;
  if (status || !*changed)
    return status;
  r->assured = NULL;
  if (node->pass != PASS_elide ||
      nonlocal_exits_depend_on(&r->jumping, function)) /* otherwise it changed this function only */
    nonlocal_exits_reset(&r->jumping);
  struct author author = {MADE_BY_PYCORO, node->text};
  if (!verify_function_later(r, function, last))
    return CORO_ENOMEM;
  if (r->unverified.maker != MADE_BY_CLIENT)
    r->unverified = author;
  r->unseen |= r->believed.pass && !seen;
  if (!run->options->verify_each)
    return CORO_OK;
  return function ? verify_function_now(r, author, function, last) : verify_after_pass(r, author);
}

static bool is_for(const struct pipe_node *node, LLVMValueRef function)
{
  return node->pass != PASS_CLIENT || node->callers->level != CORO_PASS_COROUTINE || edit_is_presplit(function);
}

struct stepping { /* state of a step's iteration over its targets */
  const struct pipe_step *step;
  struct targets targets;
  bool *told; /* indexed by pass of the step: a change was reported */
  double start;
};

/* Runs one pass on one target (NULL: the module). *again: the target must repeat the preceding steps. */
static coro_status run_on(struct runner *r, struct stepping *s, uint32_t p, uint32_t t, LLVMValueRef function,
                          bool *again)
{
  const struct pipe_node *node = s->step->ours.items[p];
  double start = coro_now();
  bool own = false, callers = node->pass == PASS_CLIENT;
  coro_change changed = CORO_UNCHANGED;
  r->run->drives = r->rounds && function && waves_was_requested(r->rounds, function);
  coro_status status = callers ? client_pass_run(r, node, function, &changed) : run_own(r, node, function, &own);
  if (own)
    changed = CORO_CHANGED;
  if (status || changed == CORO_UNCHANGED)
    return status;
  s->told[p] = true;
  *again = r->rounds && node->pass == PASS_elide && waves_request_visit(r->rounds, function);
  s->targets.moved |= callers;
  if (callers && has_pass(s->step, PASS_annotation_elide) && !call_frequency_of_annotated(r->run, NULL))
    return CORO_ENOMEM;
  const char *target = !function ? whole : callers ? s->targets.names[t] : pass_name_of(function);
  return tell(r, (coro_pass_info){node->text, target, coro_now() - start, !callers, changed, NULL, NULL});
}

/* Runs all passes of the step on one target while it exists. */
static coro_status run_target(struct runner *r, struct stepping *s, uint32_t t)
{
  coro_status status = breathe(r);
  bool again = false;
  r->run->edited = false;
  r->assured = NULL;
  for (uint32_t p = 0; p < s->step->ours.count && !status && !again; p++) {
    bool gone;
    LLVMValueRef function = targets_get(&s->targets, r->run->module, t, &gone);
    if (!gone && is_for(s->step->ours.items[p], function))
      status = run_on(r, s, p, t, function, &again);
  }
  return status;
}

/* Reports passes without any change once, for the module. */
static coro_status tell_rest(struct runner *r, const struct stepping *s)
{
  coro_status status = CORO_OK;
  const struct pipe_node *changed = NULL;
  for (uint32_t p = 0; p < s->step->ours.count && !status; p++) {
    const struct pipe_node *node = s->step->ours.items[p];
    if (s->told[p])
      changed = node;
    else
      status = tell(r, (coro_pass_info){.name = node->text,
                                        .target = whole,
                                        .seconds = coro_now() - s->start,
                                        .ours = node->pass != PASS_CLIENT});
  }
  if (!changed || status)
    return status;
  return r->unverified.maker == MADE_BY_CLIENT ? settle(r)
                                               : verify_each_pass(r, (struct author){MADE_BY_PYCORO, changed->text});
}

/* As settle; after the first wave only functions of the current wave can have changed. */
static coro_status settle_round(struct runner *r)
{
  bool part = r->unverified.pass && r->rounds && r->rounds->count > 1 && r->unverified.maker != MADE_BY_CLIENT &&
              !r->run->options->unverified;
  return part && waves_verify(r->rounds, true) ? CORO_OK : settle(r);
}

/* Verifies the result of other passes before the step. */
static coro_status settle_before(struct runner *r, const struct pipe_step *step)
{
  if (step->in_level && r->rounds && r->rounds->few && r->unverified.maker != MADE_BY_CLIENT &&
      (is_costly_to_verify(r) || r->run->options->unverified || waves_verify(r->rounds, r->all)))
    return CORO_OK;
  if (step->in_level)
    return settle(r);
  return r->believed.pass ? verify_all_pending(r) : settle_round(r);
}

static coro_status run_ours(struct runner *r, const struct pipe_step *step)
{
  struct stepping s = {.step = step, .start = coro_now()};
  bool own = r->unverified.pass && r->unverified.maker == MADE_BY_PYCORO; /* pycoro's passes trust each other */
  coro_status status = own ? CORO_OK : settle_before(r, step);
  if (status)
    return status;
  struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
  s.told = CORO_NEW_ARRAY(r->run->arena, bool, step->ours.count);
  status = s.told && targets_find(&s.targets, r, step) ? look_ahead(r, step, &s.targets) : CORO_ENOMEM;
  for (uint32_t t = 0; t < s.targets.functions.count && !status; t++)
    status = run_target(r, &s, t);
  if (!status)
    status = tell_rest(r, &s);
  ir_printed_free(&r->run->printed);
  r->run->print = NULL;
  r->run->identified.arena = r->run->may_start.arena = NULL;
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

/* Once for each way in which passes take values apart. */
static coro_status check_sizes(struct runner *r, const struct pipe_step *step)
{
  bool pipeline = step->in_level || step->alias || step->kind == STEP_LEVEL;
  unsigned limits = (pipeline ? LIMIT_LEVEL : size_limits_of(step->llvm)) & ~(r->looked ? r->limits : 0);
  coro_status status = limits ? size_limits_check(r->run, &r->counted, limits) : CORO_OK;
  r->limits = status ? 0 : (r->looked ? r->limits : 0) | limits;
  return status;
}

/* LLVM's passes assume a module that verifies; on any other they may bring the process down. */
static coro_status ready_for_llvm(struct runner *r, const struct pipe_step *step)
{
  coro_status status = step->follows ? CORO_OK : settle_before(r, step);
  if (!status && !r->looked)
    status = target_attributes_check(r->run, &r->tried);
  if (!status)
    status = check_sizes(r, step);
  r->looked = !status;
  LLVMValueRef call, function = !status && step->alias ? unlowered(r, &call) : NULL;
  if (!function)
    return status;
  return pass_reject(r->run, "unlowered", function, call,
                     coro_arena_printf(r->run->arena,
                                       "'%s' holds LLVM's own coroutine passes, and the module has coroutines that "
                                       "pycoro's have not lowered",
                                       step->llvm),
                     "put coro-early,coro-split,coro-cleanup before it");
}

/* Whether globals-aa can be omitted: later waves do not use it. */
static bool spares_globals(const struct runner *r, const struct pipe_step *step)
{
  return r->rounds && r->rounds->count > 1 && step->plain && !waves_use_internal_variables(r->rounds);
}

/* Runs LLVM's passes with functions outside of the wave masked. */
static coro_status run_kept_apart(struct runner *r, const struct pipe_step *step, const char *string, char **message)
{
  struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
  struct small small = {.module = NULL};
  bool fine = step->kind != STEP_EARLY_INLINE || early_inline_begin(&small, r->run->arena, r->run->module);
  if (r->rounds)
    waves_mask(r->rounds);
  *message = NULL;
  coro_status status = fine ? llvm_run(&r->kept_for_llvm, r->run->module, string, message) : CORO_ENOMEM;
  if (r->rounds)
    waves_unmask(r->rounds);
  if (r->rounds)
    waves_refresh(r->rounds);
  if (small.module)
    early_inline_end(&small);
  coro_arena_rewind(r->run->arena, mark);
  return status;
}

static coro_status run_llvm(struct runner *r, const struct pipe_step *step)
{
  coro_status status = ready_for_llvm(r, step);
  if (!status)
    status = breathe(r);
  bool few = !status && wave_module_applies(r, step);
  const char *passes = few ? step->local : !status && spares_globals(r, step) ? step->plain : step->safe;
  passes = r->rounds ? pipe_without_verifier(r->run->arena, passes) : passes;
  const char *string = passes ? coro_arena_printf(r->run->arena, "module(%s)", passes) : NULL;
  if (!string)
    status = CORO_ENOMEM;
  if (status)
    return status;
  double start = coro_now();
  r->run->touched = true;
  nonlocal_exits_reset(&r->jumping);
  char *message;
  const char *target = whole;
  status = few ? wave_module_run(r, string, &target, &message) : run_kept_apart(r, step, string, &message);
  if (message) {
    status = coro_diags_add(r->run->diags, &(coro_diag){.status = CORO_EPIPELINE,
                                                        .rule = "pass-string",
                                                        .message = message,
                                                        .hint = "mend or leave out the pass"});
    LLVMDisposeErrorMessage(message);
  }
  if (status)
    return status;
  double seconds = coro_now() - start;
  struct author author = {MADE_BY_LLVM, step->llvm};
  if (step->in_level)
    r->believed = author;
  else
    verify_module_later(r, author);
  status = verify_each_pass(r, author);
  coro_pass_info info = {.name = step->llvm, .target = target, .seconds = seconds, .changed = CORO_MAY_HAVE_CHANGED};
  return status ? status : tell(r, info);
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
static coro_status run_small(struct runner *r, const struct pipe_step *step)
{
  return has_coroutine_intrinsic(r) && early_inline_applies(r->run->module) ? run_llvm(r, step) : CORO_OK;
}

static coro_status run_steps(struct runner *r, const struct pipe_plan *plan, uint32_t i, uint32_t end);

static coro_status run_rounds(struct runner *r, const struct pipe_plan *plan, uint32_t first, uint32_t end)
{
  struct rounds rounds;
  bool more = false;
  if (!has_coroutine_intrinsic(r))
    return run_steps(r, plan, first, end);
  coro_status status = waves_init(&rounds, r->run);
  status = status ? status : waves_next(&rounds, &more);
  r->rounds = &rounds;
  while (more && !status) {
    status = run_steps(r, plan, first, end);
    if (!status)
      status = waves_next(&rounds, &more);
  }
  r->rounds = NULL;
  waves_free(&rounds);
  return status;
}

/* Runs coro-elide and a few passes on functions that create coroutines, before the wave's other passes. This may
   save a wave per elision, and costs as much as one. If it changes nothing, it is skipped until coro-elide changes a
   function after a wave. */
static coro_status run_starters(struct runner *r, const struct pipe_plan *plan, uint32_t first, uint32_t end,
                                bool threads)
{
  coro_status status = CORO_OK;
  /* no waves: the module has no coroutine intrinsics, so no function creates a coroutine */
  if (!r->rounds || r->rounds->in_vain)
    return CORO_OK;
  bool more = coroutine_callers_select(r->run, r->rounds);
  r->rounds->in_vain = more;
  r->run->revisits_after_elision = true;
  r->run->threads = threads;
  for (int times = 0; more && times < MOST_TIMES && !status; times++) {
    status = run_steps(r, plan, first, end);
    more = waves_select_requested(r->rounds);
  }
  r->run->revisits_after_elision = r->run->threads = false;
  waves_unrestrict(r->rounds);
  return status;
}

/* After run_starters: inlines the elided coroutines into the loops that drive them. */
static coro_status run_drivers(struct runner *r, const struct pipe_plan *plan, uint32_t first, uint32_t end)
{
  coro_status status = CORO_OK;
  if (!r->rounds)
    return CORO_OK;
  if (coroutine_callers_select_eliding(r->run, r->rounds)) {
    r->run->threads = true;
    status = run_steps(r, plan, first, end);
    r->run->threads = false;
  }
  waves_unrestrict(r->rounds);
  return status;
}

static coro_status run_steps(struct runner *r, const struct pipe_plan *plan, uint32_t i, uint32_t end)
{
  coro_status status = CORO_OK;
  while (i < end && !status) {
    const struct pipe_step *step = &plan->steps.items[i++];
    if (step->kind == STEP_OURS)
      status = run_ours(r, step);
    else if (step->kind == STEP_LLVM)
      status = run_llvm(r, step);
    else if (step->kind == STEP_EARLY_INLINE)
      status = run_small(r, step);
    else if (step->kind == STEP_WAVES)
      status = run_rounds(r, plan, i, step->otherwise);
    else if (step->kind == STEP_COROUTINE_CALLERS)
      status = run_starters(r, plan, i, step->otherwise, step->threads);
    else if (step->kind == STEP_ELIDING_CALLERS)
      status = run_drivers(r, plan, i, step->otherwise);
    bool without = (step->kind == STEP_COND || step->kind == STEP_LEVEL) && !has_coroutine_intrinsic(r);
    if (without && step->kind == STEP_LEVEL)
      status = run_llvm(r, step);
    bool ran = step->kind == STEP_WAVES || step->kind == STEP_COROUTINE_CALLERS || step->kind == STEP_ELIDING_CALLERS;
    if (without || ran)
      i = step->otherwise;
  }
  return status;
}

/* Some step is a pass of pycoro's, and not of LLVM's alone. */
static bool lowers_coroutines(const struct pipe_plan *plan)
{
  for (uint32_t i = 0; i < plan->steps.count; i++)
    if (plan->steps.items[i].kind != STEP_LLVM)
      return true;
  return false;
}

coro_status pipe_run(const struct pipe_plan *plan, struct pass_run *run)
{
  struct runner r = {.run = run, .kept = coro_arena_create(), .all = run->abi_count};
  if (!r.kept)
    return CORO_ENOMEM;
  if (!nonlocal_exits_init(&r.jumping, &run->budget)) {
    coro_arena_free(r.kept);
    return CORO_ENOMEM;
  }
  coro_arena_set_budget(r.kept, &run->budget);
  run->jumping = &r.jumping;
  coro_map_init(&run->unsettled, r.kept);
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
  llvm_dispose(&r.kept_for_llvm);
  coro_arena_free(r.kept);
  nonlocal_exits_free(&r.jumping);
  return status;
}
