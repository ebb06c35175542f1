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

/* coro-split changes some coroutines before it looks at them; these are changed in a copy, which takes the module's
   place. It is NULL where none needs to be. */
static coro_status prepare(struct coro_run *run, const char *name, LLVMModuleRef *copy)
{
  bool needed = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !needed; f = LLVMGetNextFunction(f))
    needed = edit_is_presplit(f) && is_asked_for(f, name) && lower_would_prepare(run, f);
  if (!needed)
    return CORO_OK;
  run->module = *copy = LLVMCloneModule(run->module);
  coro_status status = CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f))
    status = edit_is_presplit(f) && is_asked_for(f, name) ? lower_prepare(run, f) : CORO_OK;
  return status;
}

static coro_status explain_one(struct coro_run *run, LLVMValueRef function)
{
  struct coro_lowering low;
  const struct coro_abi *abi;
  coro_coroutine_info *info;
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  coro_status status = lower_analyse(&low, run, function, &abi);
  if (status == CORO_OK && abi)
    status = lower_describe(run, &low, abi, &info);
  if (status == CORO_OK && abi && !coro_report_add_coroutine(run->report, info))
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
static coro_status explain(struct coro_run *run, const char *function, const coro_explain_options *options)
{
  LLVMModuleRef copy = NULL;
  LLVMTargetDataRef completed = target_layout_of(run->module); /* as coro_run would complete it */
  run->layout = completed ? completed : LLVMGetModuleDataLayout(run->module);
  coro_arena_ask(run->arena, options->interrupted, options->user);
  coro_status status = custom_abis(run);
  if (!status)
    status = prepare(run, function, &copy);
  if (!status)
    status = explain_all(run, function);
  ir_printed_free(&run->printed);
  if (copy)
    LLVMDisposeModule(copy);
  if (completed)
    LLVMDisposeTargetData(completed);
  if (!status || !coro_arena_stopped(run->arena))
    return status;
  return coro_diags_add(
      run->diags, &(coro_diag){.status = CORO_ECALLBACK, .rule = "callback", .message = "the call was interrupted"});
}

coro_status coro_explain(const coro_module *module, const char *function, const coro_explain_options *options,
                         coro_report **report, coro_diags *diags)
{
  if (report)
    *report = NULL;
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
                         .diags = diags,
                         .report = coro_report_create(),
                         .options = &split,
                         .reuse_storage = options->reuse_storage};
  coro_status status = run.arena && run.report ? explain(&run, function, options) : CORO_ENOMEM;
  coro_arena_free(run.arena);
  if (status == CORO_OK)
    *report = run.report;
  else
    coro_report_free(run.report);
  return status;
}
