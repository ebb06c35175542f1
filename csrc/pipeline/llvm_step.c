/* Runs a step of the pipeline that consists of LLVM's passes; see llvm_step.h. */
#include "pipeline/llvm_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/map.h"
#include "cgscc/early_inline.h"
#include "cgscc/wave_references.h"
#include "grammar/level.h"
#include "guards/size_limits.h"
#include "ir/edit.h"
#include "ir/target.h"
#include "llvm-c/Error.h"
#include "llvm-c/ErrorHandling.h"
#include "pipeline/instrumentation.h"
#include "pipeline/llvm_passes.h"
#include "pipeline/print_passes.h"
#include "pipeline/verify_changes.h"
#include "pipeline/wave_module.h"
#include "run/diagnose.h"
#include "run/pass.h"
#include "sandbox/child_process.h"

/* ---- The attributes target-cpu and target-features ---- */

static const char *const attributes[] = {"target-cpu", "tune-cpu", "target-features"};
enum { CPU, TUNE, FEATURES, ATTRIBUTES, SECONDS = 5, MEMORY = 256 << 20 };

struct machine {
  const char *triple;
  const char *value[ATTRIBUTES]; /* "": not specified */
};

static const char *attribute_value_or_empty(struct coro_arena *arena, LLVMValueRef function, const char *name)
{
  unsigned length;
  const char *value = edit_string_attribute_value(function, name, &length);
  return coro_arena_strndup(arena, value, length);
}

/* Values that compilers emit by default are known to work and need no child process. */
static bool are_target_attributes_known_to_work(const struct machine *m)
{
  static const struct {
    const char *arch, *cpu;
  } known[] = {
#define LLVM_KNOWN_CPU(arch, cpu) {arch, cpu},
#include "llvm_targets.def"
  };
  if (!*m->value[CPU] && !*m->value[TUNE] && !*m->value[FEATURES])
    return true;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(m->triple, known[i].arch, strlen(known[i].arch)) && !strcmp(m->value[CPU], known[i].cpu))
      return !strstr(m->value[FEATURES], "-64bit");
  return false;
}

/* Runs a pass that needs the target machine on a function with these attributes, in the child. */
static void run_pass_with_attributes_in_child(void *user, char **answer, size_t *size)
{
  const struct machine *m = user;
  (void)answer, (void)size;
  LLVMResetFatalErrorHandler();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("machine", context);
  LLVMSetTarget(module, m->triple);
  LLVMTypeRef number = LLVMInt32TypeInContext(context);
  LLVMValueRef function = LLVMAddFunction(module, "f", LLVMFunctionType(number, &number, 1, false));
  for (unsigned i = 0; i < ATTRIBUTES; i++)
    if (*m->value[i])
      LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                              LLVMCreateStringAttribute(context, attributes[i], (unsigned)strlen(attributes[i]),
                                                        m->value[i], (unsigned)strlen(m->value[i])));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  LLVMValueRef sum = LLVMBuildAdd(builder, LLVMGetParam(function, 0), LLVMConstInt(number, 1, false), "");
  LLVMBuildRet(builder, sum);
  LLVMDisposeBuilder(builder);
  struct llvm_run_cache cache = {0};
  char *message;
  (void)llvm_run_pass_string(&cache, module, "function(instcombine<no-verify-fixpoint>,slp-vectorizer)", &message);
  llvm_dispose_run_cache(&cache);
  if (message)
    LLVMDisposeErrorMessage(message);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

static coro_status try_target_attributes_in_child(struct pass_run *run, struct machine *m, LLVMValueRef function)
{
  struct child_limits limits = {SECONDS, MEMORY};
  struct child_result result;
  char who[300];
  snprintf(who, sizeof who, "LLVM's optimizer, for target-cpu \"%.60s\" with features \"%.100s\" on %.80s,",
           m->value[CPU], m->value[FEATURES], m->triple);
  child_run_work_with_retries(&result, &limits, run_pass_with_attributes_in_child, m);
  free(result.answer);
  return child_diagnose_failure(
      &result, &limits, who,
      &(coro_diag){.status = CORO_EREJECTED,
                   .rule = "machine-of-function",
                   .function = edit_value_name(function),
                   .hint = "name a processor of the module's triple, or remove the attribute"},
      run->diags);
}

/* A key from the attribute pointers, which are unique in a context, so each combination is checked once. Never 0. */
static uint64_t attributes_key(LLVMValueRef function)
{
  uint64_t key = 1;
  for (unsigned i = 0; i < ATTRIBUTES; i++)
    key = key * 0x9E3779B97F4A7C15u +
          (uint64_t)(uintptr_t)LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, attributes[i],
                                                             (unsigned)strlen(attributes[i]));
  return key;
}

/* LLVM's passes create a subtarget for every function, and terminate the process if a processor does not support the
   triple's instruction set. Rejects such functions: EREJECTED, ENOMEM. Unknown combinations are tested in a child
   process, once; `tried` caches them and is initially empty. */
static coro_status target_attributes_check(struct pass_run *run, struct coro_map *tried)
{
  LLVMTargetMachineRef any = target_machine_of_module_or_null(run->module);
  if (!any)
    return CORO_OK; /* no function has them */
  LLVMDisposeTargetMachine(any);
  coro_status status = CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f)) {
    uint64_t known, key = attributes_key(f);
    if (LLVMIsDeclaration(f) || coro_map_get(tried, key, &known))
      continue;
    struct machine m = {.triple = LLVMGetTarget(run->module)};
    for (unsigned i = 0; i < ATTRIBUTES; i++)
      if (!(m.value[i] = attribute_value_or_empty(run->arena, f, attributes[i])))
        return CORO_ENOMEM;
    status = are_target_attributes_known_to_work(&m) ? CORO_OK : try_target_attributes_in_child(run, &m, f);
    if (!status && !coro_map_put(tried, key, 1))
      status = CORO_ENOMEM;
  }
  return status;
}

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
