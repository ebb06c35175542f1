/* Fails each allocation of a run once, and stops the run at each check: the run reports it, the module is unchanged,
   nothing leaks.
   Requires: the whole library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pycoro.h"

/* A value, an alloca and a promise that live across a suspend in a loop, before a final suspend; the driver calls a
   trivial function. */
static const char coroutine[] =
    "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare i1 @llvm.coro.alloc(token)\n"
    "declare i64 @llvm.coro.size.i64()\ndeclare ptr @llvm.coro.begin(token, ptr)\n"
    "declare i8 @llvm.coro.suspend(token, i1)\ndeclare ptr @llvm.coro.free(token, ptr)\n"
    "declare void @llvm.coro.end(ptr, i1, token)\ndeclare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
    "declare void @use(ptr, i32)\n"
    "define ptr @f(i32 %n) presplitcoroutine {\nentry:\n  %promise = alloca i32\n  %local = alloca [3 x i64]\n"
    "  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)\n"
    "  %need = call i1 @llvm.coro.alloc(token %id)\n  br i1 %need, label %alloc, label %begin\n"
    "alloc:\n  %size = call i64 @llvm.coro.size.i64()\n  %memory = call ptr @malloc(i64 %size)\n  br label %begin\n"
    "begin:\n  %where = phi ptr [ null, %entry ], [ %memory, %alloc ]\n"
    "  %frame = call ptr @llvm.coro.begin(token %id, ptr %where)\n  %twice = mul i32 %n, %n\n  br label %loop\n"
    "loop:\n  %i = phi i32 [ 0, %begin ], [ %next, %resume ]\n  store i32 %i, ptr %promise\n"
    "  call void @use(ptr %local, i32 %twice)\n  %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
    "  switch i8 %s, label %suspend [\n    i8 0, label %resume\n    i8 1, label %cleanup\n  ]\n"
    "resume:\n  call void @use(ptr %local, i32 %twice)\n  %next = add i32 %i, 1\n  %more = icmp slt i32 %next, %n\n"
    "  br i1 %more, label %loop, label %last\n"
    "last:\n  %t = call i8 @llvm.coro.suspend(token none, i1 true)\n"
    "  switch i8 %t, label %suspend [\n    i8 0, label %never\n    i8 1, label %cleanup\n  ]\n"
    "never:\n  unreachable\n"
    "cleanup:\n  %freed = call ptr @llvm.coro.free(token %id, ptr %frame)\n  call void @free(ptr %freed)\n"
    "  br label %suspend\n"
    "suspend:\n  call void @llvm.coro.end(ptr %frame, i1 false, token none)\n  ret ptr %frame\n}\n"
    "define internal void @small() {\n  ret void\n}\n"
    "define void @drive() {\nentry:\n  call void @small()\n"
    "  %h = call ptr @f(i32 4)\n  call void @llvm.coro.resume(ptr %h)\n"
    "  %d = call i1 @llvm.coro.done(ptr %h)\n  br i1 %d, label %out, label %out\n"
    "out:\n  call void @llvm.coro.destroy(ptr %h)\n  ret void\n}\n"
    "declare void @llvm.coro.resume(ptr)\ndeclare i1 @llvm.coro.done(ptr)\ndeclare void @llvm.coro.destroy(ptr)\n";

/* The same with debug information: pairs of text and replacement. */
static const char *const changes[][2] = {
    {"presplitcoroutine {", "presplitcoroutine !dbg !5 {"},
    {"i32 %n, %n\n", "i32 %n, %n, !dbg !9\n  #dbg_declare(ptr %local, !7, !DIExpression(), !9)\n"
                     "  #dbg_value(i32 %twice, !8, !DIExpression(), !9)\n"},
    {"%next = add i32 %i, 1\n", "%next = add i32 %i, 1, !dbg !11\n"},
};
static const char debug_nodes[] =
    "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
    "!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)\n"
    "!1 = !DIFile(filename: \"f.cpp\", directory: \"/\")\n!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
    "!3 = !DISubroutineType(types: !4)\n!4 = !{}\n"
    "!5 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !3, spFlags: DISPFlagDefinition, "
    "unit: !0, retainedNodes: !10)\n"
    "!6 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n"
    "!7 = !DILocalVariable(name: \"local\", scope: !12, file: !1, line: 2, type: !6)\n"
    "!8 = !DILocalVariable(name: \"twice\", scope: !5, file: !1, line: 3, type: !6)\n"
    "!9 = !DILocation(line: 3, scope: !5)\n!10 = !{!8}\n"
    "!11 = !DILocation(line: 9, scope: !13, inlinedAt: !14)\n!12 = distinct !DILexicalBlock(scope: !5, file: !1, line: "
    "2)\n"
    "!13 = distinct !DISubprogram(name: \"g\", scope: !1, file: !1, line: 8, type: !3, spFlags: DISPFlagDefinition, "
    "unit: !0)\n!14 = distinct !DILocation(line: 4, scope: !12)\n";

/* Without `subprogram`, the function has debug records, but is not described itself. */
static char *with_debug_information(bool subprogram)
{
  char *text = calloc(1, 2 * sizeof coroutine + sizeof debug_nodes), *to = text;
  const char *from = coroutine;
  for (size_t c = !subprogram; text && c < sizeof changes / sizeof *changes; c++) {
    const char *at = strstr(from, changes[c][0]);
    CHECK(at, "the text has \"%s\"", changes[c][0]);
    to += sprintf(to, "%.*s%s", (int)(at - from), from, changes[c][1]);
    from = at + strlen(changes[c][0]);
  }
  CHECK(text, "memory");
  sprintf(to, "%s%s", from, debug_nodes);
  return text;
}

/* Returns true if there was no n-th allocation to fail. */
static bool run_with_failure(coro_module *module, const char *passes, uint64_t n, const char *before)
{
  coro_options options = CORO_OPTIONS_INIT;
  coro_report *report = NULL;
  coro_diags *diags;
  char *after;
  options.fail_allocation = n;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  coro_status status = coro_run(module, passes, &options, &report, diags);
  CHECK(coro_module_print(module, &after) == CORO_OK, "print");
  if (status == CORO_OK) {
    CHECK(report && !strstr(after, "@llvm.coro."), "%s is done", passes);
  } else {
    CHECK(status == CORO_ENOMEM, "%s, allocation %u: status %d", passes, (unsigned)n, status);
    CHECK(!report && !strcmp(before, after), "%s, allocation %u: the module has changed", passes, (unsigned)n);
    CHECK(coro_module_generation(module) == 0, "%s, allocation %u: the generation has changed", passes, (unsigned)n);
  }
  coro_string_free(after);
  coro_diags_free(diags);
  coro_report_free(report);
  return status == CORO_OK;
}

static void fail_each(const char *text, const char *passes)
{
  coro_module *module;
  char *before;
  CHECK(coro_module_parse(&module, text, strlen(text), "f.ll", NULL) == CORO_OK, "parse");
  CHECK(coro_module_print(module, &before) == CORO_OK, "print");
  uint64_t n = 1;
  while (!run_with_failure(module, passes, n, before))
    n++;
  CHECK(n > 100, "only %u allocations were tried", (unsigned)n);
  coro_string_free(before);
  coro_module_free(module);
}

static int at_last(void *left)
{
  return --*(uint64_t *)left == 0;
}

/* Stops the run at each check, within passes and between them. */
static void stop_each(const char *text, const char *passes)
{
  coro_module *module;
  coro_status status = CORO_ECALLBACK;
  char *before, *after;
  uint64_t n = 0;
  CHECK(coro_module_parse(&module, text, strlen(text), "f.ll", NULL) == CORO_OK, "parse");
  CHECK(coro_module_print(module, &before) == CORO_OK, "print");
  while (status == CORO_ECALLBACK) {
    uint64_t left = ++n;
    coro_options options = CORO_OPTIONS_INIT;
    options.interrupted = at_last;
    options.user = &left;
    status = coro_run(module, passes, &options, NULL, NULL);
    CHECK(status == (left ? CORO_OK : CORO_ECALLBACK), "%s, stop %u: status %d", passes, (unsigned)n, status);
    CHECK(coro_module_print(module, &after) == CORO_OK, "print");
    CHECK(!status == !!strcmp(before, after), "%s, stop %u: the module has changed", passes, (unsigned)n);
    coro_string_free(after);
  }
  CHECK(n > 10, "%s: only %u allocations", passes, (unsigned)n);
  coro_string_free(before);
  coro_module_free(module);
}

int main(void)
{
  static const char *const pipelines[] = {
      "coro-early,cgscc(coro-split),coro-cleanup",
      "coro-early,cgscc(inline,coro-split),coro-cleanup",
      "module(coro-early),cgscc(coro-split<reuse-storage>,coro-annotation-elide),function(coro-elide),coro-cleanup",
  };
  char *debug = with_debug_information(true), *records = with_debug_information(false);
  for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
    fail_each(coroutine, pipelines[i]);
    fail_each(debug, pipelines[i]);
    fail_each(records, pipelines[i]);
    stop_each(coroutine, pipelines[i]);
    stop_each(debug, pipelines[i]);
  }
  free(debug);
  free(records);
  return check_done("fail_alloc");
}
