/* Runs a planned pass string. */
#include "pipeline/pipeline.h"

#include "cgscc/coroutine_callers.h"
#include "cgscc/early_inline.h"
#include "guards/alloca_support.h"
#include "guards/newer_intrinsics.h"
#include "ir/target.h"
#include "loops/elided_loops.h"
#include "pipeline/instrumentation.h"
#include "pipeline/llvm_step.h"
#include "pipeline/pycoro_step.h"
#include "pipeline/verify_changes.h"
#include "transform/loop_entry.h"

/* maximum number of visits of the functions that create coroutines, within one wave of the CGSCC pipeline */
enum { MAX_REPEATS = 16 };

static bool module_declares_coroutine_intrinsic(struct runner *r)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f)) {
    enum intrin intrin = intrin_of_function(&r->intrin, f);
    if (intrin_is_coro(intrin))
      return true;
  }
  return false;
}

/* Pre-inlines trivial functions before the first wave. No-op if the module has no coroutine intrinsics. */
static coro_status run_early_inline_if_needed(struct runner *r, const struct pipeline_step *step)
{
  return module_declares_coroutine_intrinsic(r) && early_inline_has_candidate(r->run->module) ? llvm_step_run(r, step)
                                                                                              : CORO_OK;
}

static coro_status run_steps_of_plan(struct runner *r, const struct pipeline_plan *plan, uint32_t i, uint32_t end);

static coro_status run_steps_on_waves(struct runner *r, const struct pipeline_plan *plan, uint32_t first, uint32_t end)
{
  struct cgscc_waves waves;
  bool more = false;
  if (!module_declares_coroutine_intrinsic(r))
    return run_steps_of_plan(r, plan, first, end);
  coro_status status = waves_init(&waves, r->run);
  status = status ? status : waves_start_next(&waves, &more);
  r->waves = &waves;
  while (more && !status) {
    status = run_steps_of_plan(r, plan, first, end);
    if (!status)
      status = waves_start_next(&waves, &more);
  }
  r->waves = NULL;
  waves_free(&waves);
  return status;
}

/* Runs coro-elide and a few passes on functions that create coroutines, before the wave's other passes. This may
   save a wave per elision, and costs as much as one. If it changes nothing, it is skipped until coro-elide changes a
   function after a wave. */
static coro_status repeat_steps_on_coroutine_callers(struct runner *r, const struct pipeline_plan *plan, uint32_t first,
                                                     uint32_t end, bool jump_threading)
{
  coro_status status = CORO_OK;
  /* no waves: the module has no coroutine intrinsics, so no function creates a coroutine */
  if (!r->waves || r->waves->no_progress)
    return CORO_OK;
  bool more = coroutine_callers_restrict_and_select_any(r->run, r->waves);
  r->waves->no_progress = more;
  r->run->revisits_after_elision = true;
  r->run->jump_threading = jump_threading;
  for (int repeat = 0; more && repeat < MAX_REPEATS && !status; repeat++) {
    status = run_steps_of_plan(r, plan, first, end);
    more = coroutine_callers_select_any_again(r->run, r->waves);
  }
  r->run->revisits_after_elision = r->run->jump_threading = false;
  waves_end_restriction(r->waves);
  return status;
}

/* After repeat_steps_on_coroutine_callers: inlines the elided coroutines into the loops that drive them. */
static coro_status run_steps_on_eliding_callers(struct runner *r, const struct pipeline_plan *plan, uint32_t first,
                                                uint32_t end)
{
  coro_status status = CORO_OK;
  if (!r->waves)
    return CORO_OK;
  if (coroutine_callers_restrict_and_select_eliding(r->run, r->waves)) {
    r->run->jump_threading = true;
    status = run_steps_of_plan(r, plan, first, end);
    r->run->jump_threading = false;
  }
  waves_end_restriction(r->waves);
  return status;
}

static coro_status run_steps_of_plan(struct runner *r, const struct pipeline_plan *plan, uint32_t i, uint32_t end)
{
  coro_status status = CORO_OK;
  while (i < end && !status) {
    const struct pipeline_step *step = &plan->steps.items[i++];
    if (step->kind == STEP_OURS)
      status = pycoro_step_run(r, step);
    else if (step->kind == STEP_LLVM)
      status = llvm_step_run(r, step);
    else if (step->kind == STEP_EARLY_INLINE)
      status = run_early_inline_if_needed(r, step);
    else if (step->kind == STEP_WAVES)
      status = run_steps_on_waves(r, plan, i, step->end_or_target);
    else if (step->kind == STEP_COROUTINE_CALLERS)
      status = repeat_steps_on_coroutine_callers(r, plan, i, step->end_or_target, step->jump_threading);
    else if (step->kind == STEP_ELIDING_CALLERS)
      status = run_steps_on_eliding_callers(r, plan, i, step->end_or_target);
    bool without = (step->kind == STEP_COND || step->kind == STEP_LEVEL) && !module_declares_coroutine_intrinsic(r);
    if (without && step->kind == STEP_LEVEL)
      status = llvm_step_run(r, step);
    bool ran = step->kind == STEP_WAVES || step->kind == STEP_COROUTINE_CALLERS || step->kind == STEP_ELIDING_CALLERS;
    if (without || ran)
      i = step->end_or_target;
  }
  return status;
}

/* Whether some step is not LLVM's: a pass of pycoro's or of a client. */
static bool has_step_other_than_llvm(const struct pipeline_plan *plan)
{
  for (uint32_t i = 0; i < plan->steps.count; i++)
    if (plan->steps.items[i].kind != STEP_LLVM)
      return true;
  return false;
}

typedef bool finish_function_fn(struct pass_run *run, LLVMValueRef function, bool *changed); /* false: out of memory */

/* The last steps of a run, because LLVM's passes could undo them. `pass`: the pass of pycoro's to which they belong. */
static coro_status finish_functions_and_verify(struct runner *r, finish_function_fn *finish, const char *pass)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f)) {
    bool changed = false;
    if (LLVMIsDeclaration(f))
      continue;
    struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
    bool fine = finish(r->run, f, &changed);
    coro_arena_rewind(r->run->arena, mark);
    if (!fine || (changed && !pass_mark_modified(r->run, f)))
      return CORO_ENOMEM;
    if (changed)
      verification_add_change(&r->run->verification, MADE_BY_PYCORO, pass);
  }
  return verify_changes(r, false);
}

static bool make_loops_with_pads_reducible(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  return loop_entry_unify_loops_with_pads(run->arena, function, changed);
}

/* Loops are made reducible for targets that require it (LLVM_REDUCIBLE_LOOPS in llvm_targets.def), in a run that
   includes coro-cleanup. Jump threading could undo it. */
static coro_status optimize_loops_then_make_them_reducible(struct runner *r)
{
  coro_status status = finish_functions_and_verify(r, optimize_loops_of_marked_function, "coro-elide");
  return !status && r->run->lowered && target_needs_reducible_loops(r->run->module)
             ? finish_functions_and_verify(r, make_loops_with_pads_reducible, "coro-cleanup")
             : status;
}

coro_status pipeline_run(const struct pipeline_plan *plan, struct pass_run *run)
{
  struct runner r = {.run = run};
  struct coro_arena *versions = coro_arena_create(); /* not rewound with the run's arena */
  if (!versions || !nonlocal_exits_init(&r.nonlocal, &run->budget)) {
    coro_arena_free(versions);
    return CORO_ENOMEM;
  }
  coro_arena_set_budget(versions, &run->budget);
  run->nonlocal = &r.nonlocal;
  verification_init(&run->verification, versions);
  if (run->abi_count) /* coro-split links the globals of hooks */
    run->verification.anywhere = ++run->verification.version;
  intrin_table_init(&r.intrin);
  coro_map_init(&r.tried, run->arena);
  coro_map_init(&r.counted, run->arena);
  run->intrin = &r.intrin;
  run->layout = LLVMGetModuleDataLayout(run->module);
  coro_status status = verify_after_pass_if_verify_each(&r, MADE_BY_LLVM, NULL);
  if (!status && has_step_other_than_llvm(plan))
    status = newer_intrinsics_remove_calls(run);
  if (!status && module_declares_coroutine_intrinsic(&r))
    status = alloca_support_check(run);
  if (!status)
    status = instrumentation_take_first_snapshot(&r);
  if (!status)
    status = run_steps_of_plan(&r, plan, 0, plan->steps.count);
  if (!status)
    status = optimize_loops_then_make_them_reducible(&r);
  status = status ? status : verify_changes(&r, true);
  llvm_dispose_run_cache(&r.llvm_cache);
  coro_arena_free(versions);
  nonlocal_exits_free(&r.nonlocal);
  return status;
}
