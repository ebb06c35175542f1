/* coro_explain: shape and frame of presplit coroutines, with nothing lowered.
   Needs: a module that verifies. Leaves: the module as it was. */
#include <string.h>

#include "api/module.h"
#include "ir/edit.h"
#include "ir/target.h"
#include "pass/lower.h"

static bool is_presplit(LLVMValueRef function)
{
  return LLVMGetFirstBasicBlock(function) &&
         edit_has_attribute(function, (unsigned)LLVMAttributeFunctionIndex, "presplitcoroutine");
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
  coro_status status = name ? CORO_OK : lower_print(run);
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f)) {
    if (name && strcmp(name, LLVMGetValueName2(f, &(size_t){0})) != 0)
      continue;
    found = true;
    status = is_presplit(f) ? explain_one(run, f) : CORO_OK;
  }
  if (status || !name || found)
    return status;
  return coro_diags_add(run->diags, &(coro_diag){.status = CORO_EUSAGE,
                                                 .rule = "function-exists",
                                                 .function = name,
                                                 .message = "the module has no function of this name",
                                                 .hint = "names are given without the @"});
}

coro_status coro_explain(const coro_module *module, const char *function, coro_report **report, coro_diags *diags)
{
  struct intrin_table table;
  coro_options options = CORO_OPTIONS_INIT;
  intrin_table_init(&table);
  struct coro_arena *arena = coro_arena_create();
  *report = arena ? coro_report_create() : NULL;
  if (!*report) {
    coro_arena_free(arena);
    return CORO_ENOMEM;
  }
  LLVMTargetDataRef completed = target_layout_of(module->llvm); /* as coro_run would complete it */
  struct coro_run run = {.module = module->llvm,
                         .context = module->context,
                         .layout = completed ? completed : LLVMGetModuleDataLayout(module->llvm),
                         .intrin = &table,
                         .arena = arena,
                         .diags = diags,
                         .report = *report,
                         .options = &options};
  coro_status status = explain_all(&run, function);
  ir_printed_free(&run.printed);
  coro_arena_free(arena);
  if (completed)
    LLVMDisposeTargetData(completed);
  if (status == CORO_OK)
    return CORO_OK;
  coro_report_free(*report);
  *report = NULL;
  return status;
}
