/* coro_explain: shape and frame of presplit coroutines, with nothing lowered.
   Needs: a module that verifies. Leaves: the module as it was. */
#include <string.h>

#include "api/custom_abi.h"
#include "api/module.h"
#include "api/usage.h"
#include "ir/edit.h"
#include "ir/target.h"
#include "pass/diagnose.h"
#include "pass/lower.h"

static bool is_asked_for(LLVMValueRef function, const char *name)
{
  return !name || strcmp(name, LLVMGetValueName2(function, &(size_t){0})) == 0;
}

/* The first stage changes some coroutines; these are looked at in a copy, which takes the module's place. NULL where
   there are none. */
static LLVMModuleRef copy_to_prepare(struct coro_run *run, const char *name)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f))
    if (edit_is_presplit(f) && is_asked_for(f, name) && lower_would_prepare(run, f))
      return LLVMCloneModule(run->module);
  return NULL;
}

static coro_status explain_one(struct coro_run *run, LLVMValueRef function)
{
  struct coro_lowering low;
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  run->edited = false;
  coro_status status = lower_through(STAGE_describe, &low, run, function);
  if (status == CORO_OK && low.info && !coro_report_add_coroutine(run->report, low.info))
    status = CORO_ENOMEM;
  coro_arena_rewind(run->arena, mark);
  return status;
}

static coro_status explain_all(struct coro_run *run, const char *name)
{
  bool found = false;
  coro_status status = name ? CORO_OK : pass_check_marked(run, NULL);
  if (!status && !name)
    status = lower_print(run);
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f)) {
    if (!is_asked_for(f, name))
      continue;
    found = true;
    status = edit_is_presplit(f) ? explain_one(run, f) : name ? pass_check_marked(run, f) : CORO_OK;
  }
  if (status || !name || found)
    return status;
  return coro_diags_add(run->diags, &(coro_diag){.status = CORO_EUSAGE,
                                                 .rule = "function-exists",
                                                 .function = name,
                                                 .message = "the module has no function of this name",
                                                 .hint = "names are given without the @"});
}

/* With all that the options say. */
static coro_status explain(struct coro_run *run, const char *function)
{
  LLVMTargetDataRef completed = target_layout_of(run->module); /* as coro_run would complete it */
  run->layout = completed ? completed : LLVMGetModuleDataLayout(run->module);
  coro_arena_grant(run->arena, &run->budget);
  coro_status status = custom_abis(run);
  LLVMModuleRef copy = status ? NULL : copy_to_prepare(run, function);
  run->module = copy ? copy : run->module;
  if (!status)
    status = explain_all(run, function);
  ir_printed_free(&run->printed);
  if (copy)
    LLVMDisposeModule(copy);
  if (completed)
    LLVMDisposeTargetData(completed);
  return status && run->budget.stopped ? usage_interrupted(run->diags) : status;
}

coro_status coro_explain(const coro_module *module, const char *function, const coro_explain_options *options,
                         coro_report **report, coro_diags *diags)
{
  USAGE_NOTHING_YET(report);
  if (!module || !report)
    return usage_missing("a module and a place for the report are needed", diags);
  static const coro_explain_options defaults = CORO_EXPLAIN_OPTIONS_INIT;
  struct intrin_table table;
  options = options ? options : &defaults;
  if (options->version != 1)
    return usage_version("start from CORO_EXPLAIN_OPTIONS_INIT", diags);
  coro_options split = CORO_OPTIONS_INIT;
  split.abis = options->abis;
  split.abi_count = options->abi_count;
  intrin_table_init(&table);
  struct coro_run run = {.module = module->llvm,
                         .context = module->context,
                         .intrin = &table,
                         .arena = coro_arena_create(),
                         .budget = {.stop = options->interrupted, .user = options->user},
                         .diags = diags,
                         .report = coro_report_create(),
                         .options = &split,
                         .reuse_storage = options->reuse_storage};
  coro_status status = run.arena && run.report ? explain(&run, function) : CORO_ENOMEM;
  coro_arena_free(run.arena);
  if (status == CORO_OK)
    *report = run.report;
  else
    coro_report_free(run.report);
  return status;
}
