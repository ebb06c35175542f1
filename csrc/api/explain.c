/* coro_explain and coro_stage_text: run the analysis stages on presplit coroutines without lowering them.
   Requires: a module that verifies. Guarantees: the module does not change. */
#include <stdio.h>
#include <string.h>

#include "api/custom_abi.h"
#include "api/module.h"
#include "api/usage.h"
#include "guards/newer_intrinsics.h"
#include "ir/edit.h"
#include "ir/target.h"
#include "ir/unsplit_coroutine.h"
#include "lowering/layout.h"
#include "run/diagnose.h"
#include "split/stages.h"

static bool has_selected_name_or_all_selected(LLVMValueRef function, const char *selected_name)
{
  return !selected_name || strcmp(selected_name, edit_value_name(function)) == 0;
}

/* The first stage may change a coroutine; then the analysis works on a copy of the module. NULL: no copy needed. */
static LLVMModuleRef copy_module_if_prepare_would_change_it(struct pass_run *run, const char *name)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f))
    if (has_selected_name_or_all_selected(f, name) && is_unsplit_coroutine(run->intrin, f) &&
        lower_prepare_may_modify(run, f))
      return LLVMCloneModule(run->module);
  return NULL;
}

/* A query about coroutines. */
struct query {
  const char *function; /* NULL: all functions */
  coro_status (*ask)(const struct query *query, struct pass_run *run, LLVMValueRef function);
  const struct stage_printer *stage; /* the only stage that coro_stage_text prints; NULL: all stages */
  char **text;                       /* output of coro_stage_text */
};

static coro_status describe_coroutine_in_report(const struct query *query, struct pass_run *run, LLVMValueRef function)
{
  struct coro_lowering low;
  (void)query;
  coro_status status = run_stages_through(STAGE_describe, &low, run, function);
  if (status == CORO_OK && low.info && !coro_report_add_coroutine_uncopied(run->report, low.info))
    status = CORO_ENOMEM;
  return status;
}

static coro_status print_stages_of_coroutine(const struct query *query, struct pass_run *run, LLVMValueRef function)
{
  struct coro_lowering low;
  coro_status status = run_stages_through(query->stage ? query->stage->stage : STAGE_check_layout, &low, run, function);
  const char *text = status == CORO_OK ? print_stage_to_text(&low, query->stage) : NULL;
  *query->text = text ? LLVMCreateMessage(text) : NULL; /* malloc'ed, as coro_string_free expects */
  return status == CORO_OK && !*query->text ? CORO_ENOMEM : status;
}

static coro_status run_query_and_rewind_arena(const struct query *query, struct pass_run *run, LLVMValueRef function)
{
  struct coro_arena_mark mark = coro_arena_mark(run->arena);
  run->function_changed = false;
  coro_status status = query->ask(query, run, function);
  coro_arena_rewind(run->arena, mark);
  return status;
}

static uint32_t count_unsplit_coroutines(const struct pass_run *run)
{
  uint32_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f))
    count += is_unsplit_coroutine(run->intrin, f);
  return count;
}

static coro_status query_selected_functions(const struct query *query, struct pass_run *run)
{
  const char *name = query->function;
  bool found = false;
  coro_status status = name ? CORO_OK : pass_check_marked(run, NULL);
  if (!status && !name)
    status = lower_print_module_if_many(run, count_unsplit_coroutines(run));
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f)) {
    if (!has_selected_name_or_all_selected(f, name))
      continue;
    found = true;
    if (is_unsplit_coroutine(run->intrin, f))
      status = run_query_and_rewind_arena(query, run, f);
    else if (name)
      status = pass_check_marked(run, f);
  }
  if (status || !name || found)
    return status;
  return coro_diags_add(run->diags, &(coro_diag){.status = CORO_EUSAGE,
                                                 .rule = "function-exists",
                                                 .function = name,
                                                 .message = "the module has no function of this name",
                                                 .hint = "write the name without the @"});
}

static coro_status report_unknown_stage(const char *stage, coro_diags *diags)
{
  char message[128];
  snprintf(message, sizeof message, "the lowering has no stage '%s'", stage);
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE,
                                            .rule = "stage-exists",
                                            .message = message,
                                            .hint = "use one of the names that coro_stage_name returns"});
}

/* Applies the options and runs the query. */
static coro_status apply_options_and_run(const struct query *query, struct pass_run *run)
{
  LLVMTargetDataRef completed = target_layout_if_module_has_none(run->module); /* as coro_run would complete it */
  run->layout = completed ? completed : LLVMGetModuleDataLayout(run->module);
  coro_arena_set_budget(run->arena, &run->budget);
  coro_status status = register_custom_abis(run);
  LLVMModuleRef copy = status ? NULL : copy_module_if_prepare_would_change_it(run, query->function);
  run->module = copy ? copy : run->module;
  if (!status)
    status = newer_intrinsics_check(run);
  if (!status)
    status = query_selected_functions(query, run);
  custom_hooks_free(run);
  ir_printed_free(&run->printed);
  if (copy)
    LLVMDisposeModule(copy);
  if (completed)
    LLVMDisposeTargetData(completed);
  return status && run->budget.stopped ? usage_interrupted(run->diags) : status;
}

/* The caller owns *report, whatever the status; NULL: out of memory. */
static coro_status run_explain_query(const coro_module *module, const struct query *query,
                                     const coro_explain_options *options, coro_report **report, coro_diags *diags)
{
  static const coro_explain_options defaults = CORO_EXPLAIN_OPTIONS_INIT;
  struct intrin_table table;
  options = options ? options : &defaults;
  *report = NULL;
  if (options->version != 1)
    return usage_version("start from CORO_EXPLAIN_OPTIONS_INIT", diags);
  coro_status status = coro_module_verify_edits(module, diags);
  if (status)
    return status;
  coro_options split = CORO_OPTIONS_INIT;
  split.abis = options->abis;
  split.abi_count = options->abi_count;
  intrin_table_init(&table);
  struct pass_run run = {.module = module->llvm,
                         .context = module->context,
                         .intrin = &table,
                         .arena = coro_arena_create(),
                         .budget = {.stop = options->interrupted, .user = options->user},
                         .diags = diags,
                         .report = *report = coro_report_create(),
                         .options = &split,
                         .parameter = options->reuse_storage ? LAYOUT_overlapping : LAYOUT_separate};
  status = run.arena && run.report ? apply_options_and_run(query, &run) : CORO_ENOMEM;
  coro_arena_free(run.arena);
  return status;
}

coro_status coro_explain(const coro_module *module, const char *function, const coro_explain_options *options,
                         coro_report **report, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(report);
  if (!module || !report)
    return usage_missing("a module and an output pointer for the report are required", diags);
  coro_status status = run_explain_query(
      module, &(struct query){.function = function, .ask = describe_coroutine_in_report}, options, report, diags);
  if (status != CORO_OK) {
    coro_report_free(*report);
    *report = NULL;
  }
  return status;
}

coro_status coro_stage_text(const coro_module *module, const char *function, const char *stage,
                            const coro_explain_options *options, char **text, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(text);
  if (!module || !function || !text)
    return usage_missing("a module, a function and an output pointer for the text are required", diags);
  struct query query = {.function = function, .ask = print_stages_of_coroutine, .text = text};
  query.stage = stage ? stage_printer_of_name_or_null(stage) : NULL;
  if (stage && !query.stage)
    return report_unknown_stage(stage, diags);
  coro_report *unread;
  coro_status status = run_explain_query(module, &query, options, &unread, diags);
  coro_report_free(unread);
  if (status || *text)
    return status;
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE,
                                            .rule = "function-is-coroutine",
                                            .function = function,
                                            .message = "the function is not a presplit coroutine",
                                            .hint = "run coro-early, which adds the attribute presplitcoroutine"});
}

const char *coro_stage_name(size_t index, const char **leaves)
{
  const struct stage_printer *stage = stage_printer_at_or_null(index);
  if (leaves)
    *leaves = stage ? stage->leaves : NULL;
  return stage ? stage->name : NULL;
}
