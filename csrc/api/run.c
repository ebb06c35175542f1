/* Running a pass string on a module.
   Needs: pipeline. Leaves: the module transformed, or as it was: read again, where it is as it was read and nobody has
   seen into it; else a copy is worked on, and takes its place at the end. The caller may want neither. */
#include <string.h>

#include "api/custom_abi.h"
#include "api/custom_hooks.h"
#include "api/lend.h"
#include "api/module.h"
#include "api/usage.h"
#include "base/diag.h"
#include "ir/target.h"
#include "llvm-c/Error.h"
#include "pipeline/callers.h"
#include "pipeline/level.h"
#include "pipeline/llvm.h"
#include "pipeline/outward.h"
#include "pipeline/pipeline.h"

static coro_status plan(struct pipe_plan *plan, struct pipe_string *string, coro_diags *diags)
{
  coro_status status = callers_check(&string->callers, string->arena, diags);
  struct pipe_node *root = status ? NULL : pipe_parse(string);
  if (root && pipe_plan(plan, string, root))
    pipe_check(plan, string);
  return status ? status : pipe_tell(string, diags);
}

static const coro_options defaults = CORO_OPTIONS_INIT;

/* What is wrong with the options whatever they are for. */
static coro_status check(const coro_options *options, coro_diags *diags)
{
  if (options->version != 1)
    return usage_version("start from CORO_OPTIONS_INIT", diags);
  return options->pass_count && !options->passes ? usage_missing("as many passes as pass_count says are needed", diags)
                                                 : CORO_OK;
}

coro_status coro_pipeline_check(const char *passes, const coro_options *options, char **out, coro_diags *diags)
{
  USAGE_NOTHING_YET(out);
  options = options ? options : &defaults;
  if (!passes)
    return usage_missing("a pass string is needed", diags);
  coro_status status = check(options, diags);
  if (status)
    return status;
  struct coro_arena *arena = coro_arena_create();
  if (!arena)
    return CORO_ENOMEM;
  struct pipe_plan steps;
  char *triple = LLVMGetDefaultTargetTriple();
  struct pipe_string string = {.arena = arena,
                               .text = passes,
                               .triple = triple,
                               .callers = {options->passes, options->pass_count},
                               .expand = options->expand_levels};
  status = plan(&steps, &string, diags);
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

/* What makes the module what it was, where the run fails. */
enum way_back { BY_COPY, BY_READING, NO_WAY };

/* Passes of the caller's are lent the module that is worked on, and may keep what they have seen of it; the templates
   of ABIs are in its context. */
static enum way_back way_back(const coro_module *module, const coro_options *options)
{
  bool lends = (options->pass_count && !options->passes_let_go) || options->abi_count;
  return options->in_place ? NO_WAY : !lends && coro_module_can_return(module) ? BY_READING : BY_COPY;
}

/* LLVM's passes cost more than to describe coroutines does. */
static bool only_ours(const struct pipe_plan *steps)
{
  bool ours = true;
  for (uint32_t i = 0; i < steps->steps.count; i++)
    ours &= steps->steps.items[i].kind == STEP_OURS;
  return ours;
}

/* Leaves coroutines to be described later, where that may be. False: memory ran out. */
static bool put_off(struct pass_run *run, enum way_back back, const struct pipe_plan *steps, const char *passes)
{
  const coro_options *options = run->options;
  run->later = back == BY_READING && run->report && options->describe_later && !options->pass_count && only_ours(steps);
  if (run->later)
    run->report->ran = coro_arena_strndup(coro_report_arena(run->report), passes, strlen(passes));
  return !run->later || run->report->ran;
}

static coro_status transform(coro_module *module, const struct pipe_plan *steps, const char *passes,
                             struct pass_run *run)
{
  enum way_back back = way_back(module, run->options);
  if (!put_off(run, back, steps, passes))
    return CORO_ENOMEM;
  run->module = back == BY_COPY ? LLVMCloneModule(module->llvm) : module->llvm;
  complete_layout(run->module);
  coro_diags *listener = module->listener;
  module->listener = run->diags;
  coro_status status = pipe_run(steps, run);
  if (!status)
    custom_hooks_unlink(run);
  module->listener = listener;
  if (back == BY_COPY && status)
    LLVMDisposeModule(run->module);
  else if (back == BY_COPY)
    coro_module_replace(module, run->module);
  if (back == BY_COPY)
    return status;
  module->llvm = run->module; /* a run in a pass may have put another in its place */
  if (back == BY_READING && status) {
    coro_status returned = coro_module_return(module, run->diags);
    return returned ? returned : status;
  }
  if (run->later && !status)
    run->report->source = coro_module_take_source(module);
  coro_module_changed(module);
  return status;
}

/* Once all went well: the pass string does less than the few words that it was printed from. */
static coro_status warn(const char *passes, struct pass_run *run)
{
  const char *level = level_printed(run->arena, passes);
  if (!level)
    return coro_arena_failed(run->arena) ? CORO_ENOMEM : CORO_OK;
  coro_diag diag = {.severity = CORO_WARNING, .rule = "pass-string"};
  diag.message =
      coro_arena_printf(run->arena,
                        "this is what LLVM's opt prints of %s, and lacks what pycoro's level has more: storage "
                        "that values share in a frame, in O2 and O3 loops that are threaded by the state of the "
                        "coroutine that they drive, and elision in lto<..>",
                        level);
  diag.hint = coro_arena_printf(run->arena, "write %s", level);
  return diag.message && diag.hint ? coro_diags_add(run->diags, &diag) : CORO_ENOMEM;
}

/* Plans and transforms, within the run's budget. */
static coro_status work(coro_module *module, const char *passes, struct pass_run *run)
{
  struct pipe_plan steps;
  struct pipe_string string = {.arena = run->arena,
                               .text = passes,
                               .triple = LLVMGetTarget(module->llvm),
                               .callers = {run->options->passes, run->options->pass_count}};
  struct coro_arena *arena = run->arena, *reported = run->report ? coro_report_arena(run->report) : NULL;
  coro_arena_grant(arena, &run->budget);
  if (reported)
    coro_arena_grant(reported, &run->budget);
  run->module = module->llvm;
  coro_status status = custom_abis(run);
  if (!status)
    status = plan(&steps, &string, run->diags);
  if (!status && steps.steps.count)
    status = transform(module, &steps, passes, run);
  if (!status)
    status = warn(passes, run);
  custom_hooks_free(run);
  if (reported)
    coro_arena_grant(reported, NULL);
  return status && run->budget.stopped ? usage_interrupted(run->diags) : status;
}

coro_status coro_run(coro_module *module, const char *passes, const coro_options *options, coro_report **report,
                     coro_diags *diags)
{
  USAGE_NOTHING_YET(report);
  options = options ? options : &defaults;
  if (!module || !passes)
    return usage_missing("a module and a pass string are needed", diags);
  coro_status status = check(options, diags);
  if (!status && options->in_place && module->lent)
    status = usage_lent(diags);
  if (!status)
    status = coro_module_settle(module, diags);
  if (status)
    return status;
  struct coro_arena *arena = coro_arena_create();
  coro_report *made = report ? coro_report_create() : NULL;
  struct coro_budget budget = {
      .stop = options->interrupted, .user = options->user, .fail_at = options->fail_allocation};
  struct pass_run run = {
      .context = module->context, .arena = arena, .budget = budget, .diags = diags, .report = made, .options = options};
  coro_module lent = coro_module_to_lend(module);
  run.owner = module;
  run.lent = &lent;
  run.call = lend_and_call;
  status = arena && (made || !report) ? work(module, passes, &run) : CORO_ENOMEM;
  coro_module_forget(&lent);
  coro_arena_free(arena);
  coro_report_finish(made);
  module->edited |= !status && options->unverified;
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
  struct llvm_kept kept = {0};
  char *message;
  coro_status status = llvm_run(&kept, module->llvm, passes, &message);
  llvm_dispose(&kept);
  module->listener = listener;
  coro_module_changed(module);
  if (!message)
    return status;
  coro_diags_add(diags, &(coro_diag){.status = CORO_EPIPELINE, .rule = "pass-string", .message = message});
  LLVMDisposeErrorMessage(message);
  return CORO_EPIPELINE;
}

static coro_status confined(struct coro_arena *arena, const char *passes, coro_diags *diags)
{
  struct pipe_string string = {.arena = arena, .text = passes};
  struct pipe_node *root = pipe_parse(&string);
  if (root)
    outward_tell(&string, root);
  return pipe_tell(&string, diags);
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
