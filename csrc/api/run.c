/* Running a pass string on a module.
   Needs: pipeline. Leaves: the module transformed, or as it was: a copy is worked on, and takes its place at the end,
   unless the caller wants none. */
#include <string.h>

#include "api/custom_abi.h"
#include "api/custom_hooks.h"
#include "api/module.h"
#include "api/usage.h"
#include "base/diag.h"
#include "ir/target.h"
#include "llvm-c/Error.h"
#include "pipeline/llvm.h"
#include "pipeline/outward.h"
#include "pipeline/pipeline.h"

static coro_status plan(struct pipe_plan *plan, struct coro_arena *arena, const char *passes, const char *triple,
                        coro_diags *diags)
{
  struct pipe_node *root;
  coro_status status = pipe_parse(&root, arena, passes, diags);
  if (!status)
    status = pipe_plan(plan, arena, root, triple, diags);
  if (!status)
    status = pipe_check(plan, arena, passes, triple, diags);
  return coro_arena_failed(arena) ? CORO_ENOMEM : status;
}

coro_status coro_pipeline_check(const char *passes, char **out, coro_diags *diags)
{
  USAGE_NOTHING_YET(out);
  if (!passes)
    return usage_missing("a pass string is needed", diags);
  struct coro_arena *arena = coro_arena_create();
  if (!arena)
    return CORO_ENOMEM;
  struct pipe_plan steps;
  char *triple = LLVMGetDefaultTargetTriple();
  coro_status status = plan(&steps, arena, passes, triple, diags);
  LLVMDisposeMessage(triple);
  if (!status && out) {
    *out = LLVMCreateMessage(steps.canonical); /* of malloc, as coro_string_free expects */
    status = *out ? CORO_OK : CORO_ENOMEM;
  }
  coro_arena_free(arena);
  return status;
}

/* Frames are laid out for the target that the module names, also where it leaves the layout to it. */
static void complete_layout(LLVMModuleRef module)
{
  LLVMTargetDataRef layout = target_layout_of(module);
  if (!layout)
    return;
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
}

static coro_status transform(coro_module *module, const struct pipe_plan *steps, struct pass_run *run)
{
  bool in_place = run->options->in_place;
  run->module = in_place ? module->llvm : LLVMCloneModule(module->llvm);
  complete_layout(run->module);
  coro_diags *listener = module->listener;
  module->listener = run->diags;
  coro_status status = pipe_run(steps, run);
  if (!status)
    custom_hooks_unlink(run);
  module->listener = listener;
  if (in_place)
    coro_module_changed(module);
  else if (status)
    LLVMDisposeModule(run->module);
  else
    coro_module_replace(module, run->module);
  return status;
}

/* Plans and transforms, within the run's budget. */
static coro_status work(coro_module *module, const char *passes, struct pass_run *run)
{
  struct pipe_plan steps;
  struct coro_arena *arena = run->arena, *reported = run->report ? coro_report_arena(run->report) : NULL;
  coro_arena_grant(arena, &run->budget);
  if (reported)
    coro_arena_grant(reported, &run->budget);
  coro_status status = custom_abis(run);
  if (!status)
    status = plan(&steps, arena, passes, LLVMGetTarget(module->llvm), run->diags);
  if (!status && steps.steps.count)
    status = transform(module, &steps, run);
  custom_hooks_free(run);
  if (reported)
    coro_arena_grant(reported, NULL);
  return status && run->budget.stopped ? usage_interrupted(run->diags) : status;
}

coro_status coro_run(coro_module *module, const char *passes, const coro_options *options, coro_report **report,
                     coro_diags *diags)
{
  static const coro_options defaults = CORO_OPTIONS_INIT;
  USAGE_NOTHING_YET(report);
  options = options ? options : &defaults;
  if (!module || !passes)
    return usage_missing("a module and a pass string are needed", diags);
  if (options->version != 1)
    return usage_version("start from CORO_OPTIONS_INIT", diags);
  struct coro_arena *arena = coro_arena_create();
  coro_report *made = report ? coro_report_create() : NULL;
  struct coro_budget budget = {
      .stop = options->interrupted, .user = options->user, .fail_at = options->fail_allocation};
  struct pass_run run = {
      .context = module->context, .arena = arena, .budget = budget, .diags = diags, .report = made, .options = options};
  coro_status status = arena && (made || !report) ? work(module, passes, &run) : CORO_ENOMEM;
  coro_arena_free(arena);
  if (!status && report)
    *report = made;
  else
    coro_report_free(made);
  return status;
}

coro_status coro_run_llvm(coro_module *module, const char *passes, coro_diags *diags)
{
  if (!module || !passes)
    return usage_missing("a module and a pass string are needed", diags);
  coro_diags *listener = module->listener;
  module->listener = diags;
  char *message = llvm_run(module->llvm, passes);
  module->listener = listener;
  coro_module_changed(module);
  if (!message)
    return CORO_OK;
  coro_diags_add(diags, &(coro_diag){.status = CORO_EPIPELINE, .rule = "pass-string", .message = message});
  LLVMDisposeErrorMessage(message);
  return CORO_EPIPELINE;
}

static coro_status confined(struct coro_arena *arena, const char *passes, coro_diags *diags)
{
  struct pipe_node *root;
  const char *what;
  coro_status status = pipe_parse(&root, arena, passes, diags);
  const struct pipe_node *found = status ? NULL : outward_find(root, &what);
  if (!found)
    return status;
  return pipe_error(arena, diags, found->at, coro_arena_printf(arena, "'%s' %s", found->text, what),
                    "leave it out, or run it yourself where you trust who wrote it");
}

coro_status coro_passes_confined(const char *passes, coro_diags *diags)
{
  if (!passes)
    return usage_missing("a pass string is needed", diags);
  struct coro_arena *arena = coro_arena_create();
  coro_status status = arena ? confined(arena, passes, diags) : CORO_ENOMEM;
  coro_arena_free(arena);
  return status;
}
