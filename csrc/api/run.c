/* coro_run: parses and plans a pass string and runs it on a module. A failed run is undone by reading the input again
   (if the module is unchanged since it was read and the client has no references into it), or by discarding the copy
   that the run worked on.
   Requires: pipeline. Guarantees: the module is transformed, or unchanged on failure, unless in_place is set. */
#include <string.h>

#include "api/custom_abi.h"
#include "api/module.h"
#include "api/usage.h"
#include "grammar/level.h"
#include "guards/side_effect_passes.h"
#include "ir/target.h"
#include "llvm-c/Error.h"
#include "pipeline/client_passes.h"
#include "pipeline/llvm_passes.h"
#include "pipeline/pipeline.h"
#include "run/pass.h"

/* ---- Custom passes, with the working module lent to them ---- */

enum { MAX_NESTED_RUNS = 64 }; /* maximum nesting of runs inside passes; each may have a copy of the module */

static bool has_error_since(const coro_diags *diags, size_t from)
{
  bool found = false;
  for (size_t i = from; i < coro_diags_count(diags); i++)
    found |= coro_diags_get(diags, i)->severity == CORO_ERROR;
  return found;
}

static coro_status report_custom_pass_failure(struct pass_run *run, coro_status status, const coro_pass_call *call)
{
  return coro_diags_add(run->diags,
                        &(coro_diag){.status = status,
                                     .rule = "custom-pass",
                                     .function = call->function_name,
                                     .message = coro_arena_printf(run->arena, "the pass '%s' failed", call->name)});
}

static coro_status report_runs_nested_too_deeply(struct pass_run *run, const coro_pass_call *call)
{
  return coro_diags_add(run->diags,
                        &(coro_diag){.status = CORO_EUSAGE,
                                     .rule = "nested-runs",
                                     .function = call->function_name,
                                     .message = "custom passes run nested pipelines more than 64 levels deep",
                                     .hint = "do not run a pipeline from a pass that the pipeline contains"});
}

/* Implements pass_client_call. */
static coro_status call_custom_pass(struct pass_run *run, const coro_custom_pass *pass, coro_pass_call *call,
                                    coro_change *changed)
{
  if (run->owner->depth == MAX_NESTED_RUNS)
    return report_runs_nested_too_deeply(run, call);
  coro_module *lent = call->module = run->lent;
  size_t diag_count = coro_diags_count(run->diags);
  coro_module_lend(lent, run->module, run->diags, !run->modified_since_custom_pass);
  uint64_t before = lent->generation;
  lent->report = run->report;
  coro_status status = pass->run(pass->user, call, run->diags);
  run->module = coro_module_reclaim(lent, run->owner);
  *changed = lent->generation == before ? CORO_UNCHANGED : lent->edited ? CORO_CHANGED : CORO_MAY_HAVE_CHANGED;
  run->modified_since_custom_pass = false;
  return status && status != CORO_ENOMEM && !has_error_since(run->diags, diag_count)
             ? report_custom_pass_failure(run, status, call)
             : status;
}

coro_status coro_pass_remark(coro_module *module, const coro_remark *remark)
{
  if (!module || !module->lent || !remark)
    return CORO_EUSAGE;
  return coro_report_add_remark(module->report, remark) ? CORO_OK : CORO_ENOMEM;
}

static coro_status plan_passes(struct pipeline_plan *plan, struct pass_string *string, coro_diags *diags)
{
  coro_status status = client_passes_check(&string->clients, string->arena, diags);
  struct pass_node *root = status ? NULL : pass_string_parse(string);
  if (root && pipeline_plan(plan, string, root))
    pipeline_check_llvm_passes(plan, string);
  return status ? status : pass_string_add_diagnostics(string, diags);
}

static const coro_options defaults = CORO_OPTIONS_INIT;

/* Validates options independently of the pass string. */
static coro_status check_run_options(const coro_options *options, coro_diags *diags)
{
  if (options->version != 1)
    return usage_version("start from CORO_OPTIONS_INIT", diags);
  return options->pass_count && !options->passes ? usage_missing("pass_count is not 0 but `passes` is NULL", diags)
                                                 : CORO_OK;
}

coro_status coro_pipeline_check(const char *passes, const coro_options *options, char **out, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(out);
  options = options ? options : &defaults;
  if (!passes)
    return usage_missing("a pass string is required", diags);
  coro_status status = check_run_options(options, diags);
  if (status)
    return status;
  struct coro_arena *arena = coro_arena_create();
  if (!arena)
    return CORO_ENOMEM;
  struct pipeline_plan steps;
  char *triple = LLVMGetDefaultTargetTriple();
  struct pass_string string = {.arena = arena,
                               .text = passes,
                               .triple = triple,
                               .clients = {options->passes, options->pass_count},
                               .expand = options->expand_levels};
  status = plan_passes(&steps, &string, diags);
  LLVMDisposeMessage(triple);
  if (!status && out) {
    *out = LLVMCreateMessage(steps.canonical); /* malloc'ed, as coro_string_free expects */
    status = *out ? CORO_OK : CORO_ENOMEM;
  }
  coro_arena_free(arena);
  return status;
}

/* A module with a triple but no data layout gets the target's, which determines frame layouts. */
static void set_layout_of_triple_if_missing(LLVMModuleRef module)
{
  LLVMTargetDataRef layout = target_layout_if_module_has_none(module);
  if (!layout)
    return;
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
}

/* How the module is restored after a failed run. */
enum rollback { ROLLBACK_COPY, ROLLBACK_REREAD, ROLLBACK_NONE };

/* Custom passes may keep references to the module that they are lent; hook modules of ABIs live in its context. */
static enum rollback choose_rollback_method(const coro_module *module, const coro_options *options)
{
  bool lends = (options->pass_count && !options->passes_keep_no_references) || options->abi_count;
  return options->in_place                                     ? ROLLBACK_NONE
         : !lends && coro_module_can_restore_unnoticed(module) ? ROLLBACK_REREAD
                                                               : ROLLBACK_COPY;
}

/* With LLVM's passes a second run would cost more than describing coroutines now. */
static bool has_only_passes_that_llvm_does_not_run(const struct pipeline_plan *steps)
{
  bool ours = true;
  for (uint32_t i = 0; i < steps->steps.count; i++)
    ours &= steps->steps.items[i].kind == STEP_OURS;
  return ours;
}

/* Defers the description of coroutines if possible. False: out of memory. */
static bool defer_descriptions_unless_out_of_memory(struct pass_run *run, enum rollback rollback_kind,
                                                    const struct pipeline_plan *steps, const char *passes)
{
  const coro_options *options = run->options;
  run->describes_later = rollback_kind == ROLLBACK_REREAD && run->report && options->describe_later &&
                         !options->pass_count && has_only_passes_that_llvm_does_not_run(steps);
  if (run->describes_later)
    run->report->ran = coro_arena_strndup(coro_report_arena(run->report), passes, strlen(passes));
  return !run->describes_later || run->report->ran;
}

static coro_status run_plan_with_rollback(coro_module *module, const struct pipeline_plan *steps, const char *passes,
                                          struct pass_run *run)
{
  enum rollback rollback_kind = choose_rollback_method(module, run->options);
  if (!defer_descriptions_unless_out_of_memory(run, rollback_kind, steps, passes))
    return CORO_ENOMEM;
  run->module = rollback_kind == ROLLBACK_COPY ? LLVMCloneModule(module->llvm) : module->llvm;
  set_layout_of_triple_if_missing(run->module);
  coro_diags *listener = module->listener;
  module->listener = run->diags;
  coro_status status = pipeline_run(steps, run);
  if (!status)
    custom_hooks_delete_unused(run);
  module->listener = listener;
  if (rollback_kind == ROLLBACK_COPY && status)
    LLVMDisposeModule(run->module);
  else if (rollback_kind == ROLLBACK_COPY)
    coro_module_replace(module, run->module);
  if (rollback_kind == ROLLBACK_COPY)
    return status;
  module->llvm = run->module; /* a nested run may have replaced it */
  if (rollback_kind == ROLLBACK_REREAD && status) {
    coro_status returned = coro_module_restore(module, run->diags);
    return returned ? returned : status;
  }
  if (run->describes_later && !status)
    run->report->source = coro_module_take_source(module);
  coro_module_mark_changed(module);
  return status;
}

/* Warns if the pass string is one that opt prints for a level: it lacks pycoro's additions. */
static coro_status warn_if_pipeline_printed_by_opt(const char *passes, struct pass_run *run)
{
  const char *level = level_with_printed_pipeline(run->arena, passes);
  if (!level)
    return coro_arena_failed(run->arena) ? CORO_ENOMEM : CORO_OK;
  coro_diag diag = {.severity = CORO_WARNING, .rule = "pass-string"};
  diag.message = coro_arena_printf(
      run->arena,
      "this pass string is what LLVM's opt prints for %s; it lacks pycoro's additions: shared storage "
      "that values share in a frame, in O2 and O3 loops that are threaded by the state of the "
      "coroutine that they drive, and elision in lto<..>",
      level);
  diag.hint = coro_arena_printf(run->arena, "write %s", level);
  return diag.message && diag.hint ? coro_diags_add(run->diags, &diag) : CORO_ENOMEM;
}

/* Passes on a module without data layout assume LLVM's default. The verifier changes nothing. */
static void record_run_without_data_layout(coro_module *module, const char *passes)
{
  module->ran_without_layout |= strcmp(passes, "verify") && !*LLVMGetDataLayoutStr(module->llvm);
}

/* Plans and transforms within the run's budget. */
static coro_status plan_and_transform(coro_module *module, const char *passes, struct pass_run *run)
{
  struct pipeline_plan steps;
  struct pass_string string = {.arena = run->arena,
                               .text = passes,
                               .triple = LLVMGetTarget(module->llvm),
                               .clients = {run->options->passes, run->options->pass_count}};
  struct coro_arena *arena = run->arena, *reported = run->report ? coro_report_arena(run->report) : NULL;
  coro_arena_set_budget(arena, &run->budget);
  if (reported)
    coro_arena_set_budget(reported, &run->budget);
  run->module = module->llvm;
  coro_status status = register_custom_abis(run);
  if (!status)
    status = plan_passes(&steps, &string, run->diags);
  if (!status && steps.steps.count)
    status = run_plan_with_rollback(module, &steps, passes, run);
  if (!status)
    record_run_without_data_layout(module, steps.canonical);
  if (!status)
    status = warn_if_pipeline_printed_by_opt(passes, run);
  custom_hooks_free(run);
  if (reported)
    coro_arena_set_budget(reported, NULL);
  return status && run->budget.stopped ? usage_interrupted(run->diags) : status;
}

coro_status coro_run(coro_module *module, const char *passes, const coro_options *options, coro_report **report,
                     coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(report);
  options = options ? options : &defaults;
  if (!module || !passes)
    return usage_missing("a module and a pass string are required", diags);
  coro_status status = check_run_options(options, diags);
  if (!status && options->in_place && module->lent)
    status = usage_module_in_use(diags);
  if (!status)
    status = coro_module_verify_edits(module, diags);
  if (status)
    return status;
  struct coro_arena *arena = coro_arena_create();
  coro_report *made = report ? coro_report_create() : NULL;
  struct coro_budget budget = {
      .stop = options->interrupted, .user = options->user, .fail_at = options->fail_allocation};
  struct pass_run run = {
      .context = module->context, .arena = arena, .budget = budget, .diags = diags, .report = made, .options = options};
  coro_module lent = coro_module_make_handle_to_lend(module);
  run.owner = module;
  run.lent = &lent;
  run.call = call_custom_pass;
  status = arena && (made || !report) ? plan_and_transform(module, passes, &run) : CORO_ENOMEM;
  coro_module_discard_caches(&lent);
  coro_arena_free(arena);
  coro_report_keep_valid_elisions(made);
  module->edited |= !status && (options->unverified || options->llvm_unverified);
  if (!status && report)
    *report = made;
  else
    coro_report_free(made);
  return status;
}

coro_status coro_run_llvm(coro_module *module, const char *passes, coro_diags *diags)
{
  if (!module || !passes)
    return usage_missing("a module and a pass string are required", diags);
  coro_diags *listener = module->listener;
  module->listener = diags;
  struct llvm_run_cache kept = {0};
  char *message;
  coro_status status = llvm_run_pass_string(&kept, module->llvm, passes, &message);
  llvm_dispose_run_cache(&kept);
  module->listener = listener;
  coro_module_mark_changed(module);
  record_run_without_data_layout(module, passes);
  if (!message)
    return status;
  coro_diags_add(diags, &(coro_diag){.status = CORO_EPIPELINE, .rule = "pass-string", .message = message});
  LLVMDisposeErrorMessage(message);
  return CORO_EPIPELINE;
}

static coro_status check_passes_have_no_side_effects(struct coro_arena *arena, const char *passes, coro_diags *diags)
{
  struct pass_string string = {.arena = arena, .text = passes};
  struct pass_node *root = pass_string_parse(&string);
  if (root)
    side_effect_passes_report(&string, root);
  return pass_string_add_diagnostics(&string, diags);
}

coro_status coro_pipeline_check_confined(const char *passes, coro_diags *diags)
{
  if (!passes)
    return usage_missing("a pass string is required", diags);
  struct coro_arena *arena = coro_arena_create();
  coro_status status = arena ? check_passes_have_no_side_effects(arena, passes, diags) : CORO_ENOMEM;
  coro_arena_free(arena);
  return status;
}
