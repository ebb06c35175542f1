/* Runs a step of the pipeline that consists of LLVM's passes; see llvm_step.h. */
#include "pipeline/llvm_step.h"

#include "base/clock.h"
#include "cgscc/early_inline.h"
#include "cgscc/wave_references.h"
#include "grammar/level.h"
#include "guards/size_limits.h"
#include "ir/edit.h"
#include "llvm-c/Error.h"
#include "pipeline/instrumentation.h"
#include "pipeline/print_passes.h"
#include "pipeline/target_attributes.h"
#include "pipeline/verify_changes.h"
#include "pipeline/wave_module.h"
#include "run/diagnose.h"

/* A function that is still presplit, or a call that only pycoro's passes can lower; NULL: none. */
static LLVMValueRef find_unlowered_coroutine_or_call(struct runner *r, LLVMValueRef *call)
{
  *call = NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(r->run->module); f; f = LLVMGetNextFunction(f)) {
    if (edit_is_presplit_definition(f))
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

/* Checks the size limits of the step's passes, those that an earlier step has not checked. */
static coro_status check_element_counts_before_step(struct runner *r, const struct pipeline_step *step)
{
  const char *passes = step->kind == STEP_LEVEL ? level_pass_string_or_null(r->run->arena, step->llvm) : step->llvm;
  unsigned limits = (step->alias || !passes ? LIMIT_LEVEL : size_limits_of_pass_string(passes)) & ~r->limits;
  coro_status status = limits ? size_limits_check(r->run, &r->counted, limits) : CORO_OK;
  r->limits |= limits;
  return status;
}

/* LLVM's passes require a module that verifies, and may crash on any other. */
static coro_status check_module_before_llvm_passes(struct runner *r, const struct pipeline_step *step)
{
  coro_status status = step->follows ? CORO_OK : verify_before_step(r, step);
  if (!status && !r->limits_checked)
    status = target_attributes_check(r->run, &r->tried);
  if (!status)
    status = check_element_counts_before_step(r, step);
  r->limits_checked = !status;
  LLVMValueRef call, function = !status && step->alias ? find_unlowered_coroutine_or_call(r, &call) : NULL;
  if (!function)
    return status;
  return pass_reject_instruction(
      r->run, "unlowered", function, call,
      coro_arena_printf(r->run->arena,
                        "'%s' contains LLVM's coroutine passes, and the module has coroutines that "
                        "pycoro has not lowered",
                        step->llvm),
      "put coro-early,coro-split,coro-cleanup before it");
}

/* Whether globals-aa can be omitted: later waves do not use it. */
static bool can_omit_globals_aa(const struct runner *r, const struct pipeline_step *step)
{
  return r->waves && r->waves->count > 1 && step->plain && !waves_use_internal_variables(r->waves);
}

/* Runs LLVM's passes with functions outside of the wave masked. */
static coro_status run_llvm_passes_on_wave_by_masking(struct runner *r, const struct pipeline_step *step,
                                                      const char *string, char **message)
{
  struct coro_arena_mark mark = coro_arena_mark(r->run->arena);
  struct early_inline inlining = {.module = NULL};
  bool fine = step->kind != STEP_EARLY_INLINE || early_inline_add_noinline(&inlining, r->run->arena, r->run->module);
  if (r->waves)
    waves_add_optnone_outside(r->waves);
  *message = NULL;
  coro_status status = fine ? llvm_run_pass_string(&r->llvm_cache, r->run->module, string, message) : CORO_ENOMEM;
  if (r->waves)
    waves_remove_optnone_outside(r->waves);
  if (r->waves)
    waves_update_after_module_passes(r->waves);
  if (inlining.module)
    early_inline_remove_noinline(&inlining);
  coro_arena_rewind(r->run->arena, mark);
  return status;
}

coro_status llvm_step_run(struct runner *r, const struct pipeline_step *step)
{
  coro_status status = check_module_before_llvm_passes(r, step);
  if (!status)
    status = runner_poll_budget(r);
  bool in_work_module = !status && wave_module_can_run_step(r, step);
  const char *passes = in_work_module                            ? step->local
                       : !status && can_omit_globals_aa(r, step) ? step->plain
                                                                 : step->safe;
  passes = r->waves ? pass_string_with_noop_for_verify(r->run->arena, passes) : passes;
  const char *string = passes ? coro_arena_printf(r->run->arena, "module(%s)", passes) : NULL;
  if (!string)
    status = CORO_ENOMEM;
  if (status)
    return status;
  double start = coro_now();
  r->run->modified_since_custom_pass = true;
  nonlocal_exits_reset(&r->nonlocal);
  char *message;
  const char *target = "[module]";
  status = in_work_module ? wave_module_run(r, string, &target, &message)
                          : run_llvm_passes_on_wave_by_masking(r, step, string, &message);
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
  enum change_maker maker = step->in_level || postpones_verification(r) ? MADE_BY_LEVEL : MADE_BY_LLVM;
  verification_add_change(&r->run->verification, maker, step->llvm);
  status = verify_after_pass_if_verify_each(r, maker, step->llvm);
  coro_pass_info info = {.name = step->llvm, .target = target, .seconds = seconds, .changed = CORO_MAY_HAVE_CHANGED};
  return status ? status : instrumentation_after_pass(r, info);
}
