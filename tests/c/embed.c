/* A C client without Python, by the public header alone: parse, inspect, run, print, reject.
   Requires: the whole library. */
#include <string.h>

#include "check.h"
#include "pycoro.h"

static const char coroutine[] =
    "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare i64 @llvm.coro.size.i64()\n"
    "declare ptr @llvm.coro.begin(token, ptr)\ndeclare i8 @llvm.coro.suspend(token, i1)\n"
    "declare ptr @llvm.coro.free(token, ptr)\ndeclare void @llvm.coro.end(ptr, i1, token)\n"
    "declare ptr @malloc(i64)\ndeclare void @free(ptr)\ndeclare void @print(i32)\n"
    "define ptr @count(i32 %n) presplitcoroutine {\nentry:\n"
    "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
    "  %size = call i64 @llvm.coro.size.i64()\n  %memory = call ptr @malloc(i64 %size)\n"
    "  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)\n  br label %loop\n"
    "loop:\n  %i = phi i32 [ %n, %entry ], [ %next, %resume ]\n  call void @print(i32 %i)\n"
    "  %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
    "  switch i8 %s, label %suspend [\n    i8 0, label %resume\n    i8 1, label %cleanup\n  ]\n"
    "resume:\n  %next = add i32 %i, 1\n  br label %loop\n"
    "cleanup:\n  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)\n  call void @free(ptr %freed)\n"
    "  br label %suspend\n"
    "suspend:\n  call void @llvm.coro.end(ptr %frame, i1 false, token none)\n  ret ptr %frame\n}\n";

static const char passes[] = "coro-early,cgscc(coro-split),coro-cleanup";

static void check_frame(const coro_report *report)
{
  CHECK(coro_report_coroutine_count(report) == 1 && !coro_report_coroutine(report, 1), "one coroutine");
  const coro_coroutine_info *info = coro_report_coroutine(report, 0);
  CHECK(!strcmp(info->function, "count") && info->abi == CORO_ABI_SWITCH, "%s", info->function);
  CHECK(info->suspend_count == 1 && info->suspends[0].live_count == 1, "%zu suspends", info->suspend_count);
  CHECK(info->field_count >= 3 && info->frame_size >= info->lower_bound, "%zu fields", info->field_count);
  bool kept = false;
  for (size_t i = 0; i < info->field_count; i++)
    kept = kept || (info->fields[i].kind == CORO_FIELD_SPILL && !strcmp(info->fields[i].name, "i"));
  CHECK(kept, "%%i is kept in the frame");
}

static int stop(void *user)
{
  (void)user;
  return 1;
}

static void check_explain_options(const coro_module *module, coro_diags *diags)
{
  coro_report *report;
  coro_explain_options options = CORO_EXPLAIN_OPTIONS_INIT;
  options.reuse_storage = true;
  CHECK(coro_explain(module, NULL, &options, &report, diags) == CORO_OK, "explain");
  check_frame(report);
  coro_report_free(report);
  options.interrupted = stop;
  CHECK(coro_explain(module, NULL, &options, &report, diags) == CORO_ECALLBACK && !report, "interrupted");
  options.version = 2;
  CHECK(coro_explain(module, NULL, &options, &report, diags) == CORO_EUSAGE && !report, "a version to come");
  coro_diags_clear(diags);
}

static void check_lowering(coro_diags *diags)
{
  coro_module *module;
  coro_report *report;
  char *text;
  CHECK(coro_module_parse(&module, coroutine, strlen(coroutine), "count.ll", diags) == CORO_OK, "parse");
  CHECK(coro_explain(module, "count", NULL, &report, diags) == CORO_OK, "explain");
  check_frame(report);
  coro_report_free(report);
  check_explain_options(module, diags);
  CHECK(coro_module_generation(module) == 0, "nothing has changed yet");
  CHECK(coro_run(module, passes, NULL, &report, diags) == CORO_OK, "run");
  check_frame(report);
  CHECK(coro_report_pass_count(report) >= 3 && coro_report_pass(report, 0)->ours, "passes");
  coro_report_free(report);
  CHECK(coro_module_generation(module) > 0 && coro_module_verify(module, diags) == CORO_OK, "changed, and sound");
  CHECK(coro_module_print(module, &text) == CORO_OK, "print");
  CHECK(!strstr(text, "llvm.coro") && strstr(text, "@count.resume") && strstr(text, "@count.destroy"), "%s", text);
  coro_string_free(text);
  const coro_function_info *infos;
  size_t count;
  CHECK(coro_module_functions(module, &infos, &count) == CORO_OK, "functions");
  for (size_t i = 0; i < count; i++)
    CHECK(!infos[i].coroutine, "%s is lowered", infos[i].name);
  CHECK(coro_diags_count(diags) == 0, "nothing to say");
  coro_module_free(module);
}

static int last_first(void *user, const coro_field_info *fields, size_t count, uint32_t *order)
{
  bool *live = user;
  for (size_t i = 0; i < count; i++) {
    order[i] = (uint32_t)(count - 1 - i);
    *live = *live || fields[i].live_count;
  }
  return 0;
}

/* An ABI's order callback gets all facts, with or without a report. */
static void check_order(coro_diags *diags)
{
  static const char begin[] = "@llvm.coro.begin(token %id, ptr %memory)", own[] = "@llvm.coro.begin.custom.abi";
  char text[2 * sizeof coroutine];
  bool live = false;
  coro_module *module;
  coro_custom_abi abi = {.base = CORO_ABI_SWITCH, .order = last_first, .user = &live};
  coro_options options = CORO_OPTIONS_INIT;
  options.abis = &abi;
  options.abi_count = 1;
  const char *at = strstr(coroutine, begin);
  snprintf(text, sizeof text, "%.*s%s(token %%id, ptr %%memory, i32 0)%s%s", (int)(at - coroutine), coroutine, own,
           at + strlen(begin), "declare ptr @llvm.coro.begin.custom.abi(token, ptr, i32)\n");
  CHECK(coro_module_parse(&module, text, strlen(text), "order.ll", diags) == CORO_OK, "parse");
  CHECK(coro_run(module, passes, &options, NULL, diags) == CORO_OK && live, "the ABI orders the frame");
  coro_module_free(module);
}

static void check_refusals(coro_diags *diags)
{
  coro_module *module;
  char *before, *after, *spelling;
  CHECK(coro_module_parse(&module, coroutine, strlen(coroutine), "count.ll", diags) == CORO_OK, "parse");
  CHECK(coro_module_print(module, &before) == CORO_OK, "print");
  CHECK(coro_run(module, "coro-splat", NULL, NULL, diags) == CORO_EPIPELINE && coro_diags_count(diags) > 0, "a typo");
  coro_diags_clear(diags);
  CHECK(coro_pipeline_check("coro-early,", NULL, NULL, diags) == CORO_EPIPELINE, "a comma too many");
  coro_diags_clear(diags);
  CHECK(coro_pipeline_check(passes, NULL, &spelling, diags) == CORO_OK && strstr(spelling, "coro-split"), "a good one");
  coro_string_free(spelling);
  CHECK(coro_module_print(module, &after) == CORO_OK && !strcmp(before, after), "the module is as it was");
  coro_string_free(before);
  coro_string_free(after);
  coro_module_free(module);
}

int main(void)
{
  coro_diags *diags;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  check_lowering(diags);
  check_order(diags);
  check_refusals(diags);
  coro_diags_free(diags);
  return check_done("embed");
}
