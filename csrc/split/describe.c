/* The stages `describe` (describes a coroutine for the report before it is split) and `publish` (completes the report
   when the clones have names, and makes the module call the ramp directly).
   Requires: a frame layout; then the clones.
   Guarantees: a complete report; no llvm.coro.prepare of the ramp. */
#include <string.h>

#include "ir/edit.h"
#include "lowering/coroutine_info.h"
#include "run/diagnose.h"
#include "run/intrinsic_calls.h"
#include "split/lower.h"

coro_status lower_print_module_if_many(struct pass_run *run, uint32_t coroutines)
{
  enum { FEW = 8 }; /* functions printed individually if the module has much else */
  if ((!pass_describes(run) && !run->abi_count) || run->printed.text || coroutines <= FEW)
    return CORO_OK;
  return ir_printed_print_module(&run->printed, run->arena, run->module) ? CORO_OK : CORO_ENOMEM;
}

coro_status coro_run_describe_stage(struct coro_lowering *low)
{
  const struct pass_run *run = low->run;
  if (!pass_describes(run))
    return CORO_OK;
  struct coro_arena *arena = coro_report_arena(run->report);
  const char *printed =
      run->function_changed ? NULL : ir_printed_text_from_function_on_or_null(&run->printed, low->function);
  struct ir_printed alone = {0};
  bool fine = printed || !run->print || run->print(low->run, low->function, &alone);
  low->info = fine ? coro_info_make(arena, low,
                                    printed ? printed : ir_printed_text_from_function_on_or_null(&alone, low->function))
                   : NULL;
  ir_printed_free(&alone);
  if (low->info && low->abi->describe)
    low->abi->describe(low, arena, low->info);
  return low->info && !coro_arena_failed(arena) ? CORO_OK : CORO_ENOMEM;
}

/* Fills in the clones' final names. */
static bool record_names_of_clones(const struct coro_lowering *low, struct coro_arena *arena)
{
  const char **names = CORO_NEW_ARRAY(arena, const char *, low->clone_count);
  if (!names)
    return false;
  for (uint32_t i = 0; i < low->clone_count; i++)
    names[low->info->clone_count++] = coro_arena_printf(arena, "%s", edit_value_name(low->clones[i]));
  low->info->clones = names;
  return !coro_arena_failed(arena);
}

static bool add_coroutine_to_report(const struct coro_lowering *low)
{
  coro_report *to = low->run->report;
  if (!to)
    return true;
  const char *name = edit_value_name(low->function);
  char *message = coro_arena_printf(low->arena, "Split '%s' (frame_size=%llu, align=%llu)", name,
                                    (unsigned long long)low->frame.size, (unsigned long long)low->frame.align);
  coro_source_info at = low->info ? low->info->source : (coro_source_info){0};
  const char *file =
      at.line ? pass_join_source_path(low->arena, at.directory, strlen(at.directory), at.file, strlen(at.file)) : NULL;
  coro_remark remark = {.pass = "coro-split",
                        .name = "CoroSplit",
                        .function = name,
                        .message = message,
                        .done = true,
                        .file = file,
                        .line = at.line,
                        .column = at.column};
  bool reported = !low->info || (record_names_of_clones(low, coro_report_arena(to)) &&
                                 coro_report_add_coroutine_uncopied(to, low->info));
  return message && (file || !at.line) && reported && coro_report_add_remark(to, &remark);
}

/* Replaces calls of llvm.coro.prepare.*, which hides an unsplit coroutine from optimizers, by the coroutine. False: out
   of memory. */
static bool remove_prepare_calls(const struct coro_lowering *low)
{
  pass_values prepares = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(low->function); use; use = LLVMGetNextUse(use)) {
    enum intrin intrin = intrin_of_call(low->table, LLVMGetUser(use));
    if ((intrin == INTRIN_PREPARE_RETCON || intrin == INTRIN_PREPARE_ASYNC) &&
        !coro_vec_push(low->arena, &prepares, LLVMGetUser(use)))
      return false;
  }
  bool ok = true;
  for (uint32_t i = 0; i < prepares.count && ok; i++) {
    ok = pass_mark_modified(low->run, edit_function_of(prepares.items[i]));
    edit_replace_and_erase(prepares.items[i], low->function);
  }
  return ok;
}

coro_status coro_run_publish_stage(struct coro_lowering *low)
{
  return remove_prepare_calls(low) && add_coroutine_to_report(low) ? CORO_OK : CORO_ENOMEM;
}
