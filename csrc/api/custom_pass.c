/* Calls custom passes with the run's working module lent to them. */
#include "api/custom_pass.h"

#include "api/module.h"

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

coro_status call_custom_pass(struct pass_run *run, const coro_custom_pass *pass, coro_pass_call *call,
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
