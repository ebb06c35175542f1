/* Passes of a client: the order of their calls, the changes they may make, and errors.
   Requires: the whole library. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

/* @outer resumes the result of @inner, which it calls; @plain calls @outer. Two functions have no name. */
static const char text[] = "define void @plain() {\n  %h = call ptr @outer(ptr null)\n  ret void\n}\n"
                           "define void @0() {\n  ret void\n}\n"
                           "define ptr @outer(ptr %m) presplitcoroutine {\n"
                           "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
                           "  %h = call ptr @llvm.coro.begin(token %id, ptr %m)\n"
                           "  %i = call ptr @inner(ptr %m)\n"
                           "  call void @llvm.coro.end(ptr %h, i1 false, token none)\n  ret ptr %h\n}\n"
                           "define ptr @inner(ptr %m) presplitcoroutine {\n"
                           "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
                           "  %h = call ptr @llvm.coro.begin(token %id, ptr %m)\n"
                           "  call void @llvm.coro.end(ptr %h, i1 false, token none)\n  ret ptr %h\n}\n"
                           "define void @1() {\n  ret void\n}\n"
                           "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\n"
                           "declare ptr @llvm.coro.begin(token, ptr)\n"
                           "declare void @llvm.coro.end(ptr, i1, token)\n";

struct seen {
  char text[512];
  unsigned calls;
  coro_module *kept;
};

static void note(struct seen *seen, const char *what)
{
  size_t length = strlen(seen->text);
  snprintf(seen->text + length, sizeof seen->text - length, "%s ", what);
}

/* ---- Passes ---- */

static coro_status look(void *user, coro_pass_call *call, coro_diags *diags)
{
  (void)diags;
  note(user, call->function ? call->function_name : call->parameters);
  return CORO_OK;
}

/* Records whether the function's callee is split. */
static coro_status look_at_callee(void *user, coro_pass_call *call, coro_diags *diags)
{
  LLVMValueRef inner = LLVMGetNamedFunction(coro_module_llvm(call->module), "inner");
  unsigned presplit = LLVMGetEnumAttributeKindForName("presplitcoroutine", strlen("presplitcoroutine"));
  note(user, LLVMGetEnumAttributeAtIndex(inner, (unsigned)LLVMAttributeFunctionIndex, presplit) ? "whole" : "split");
  return look(user, call, diags);
}

static coro_status erase_next(void *user, coro_pass_call *call, coro_diags *diags)
{
  LLVMValueRef next = LLVMGetNextFunction(call->function);
  if (!strcmp(call->function_name, "outer")) {
    LLVMReplaceAllUsesWith(next, LLVMConstNull(LLVMTypeOf(next)));
    LLVMDeleteFunction(next);
    coro_module_mark_edited(call->module);
  }
  return look(user, call, diags);
}

/* Inserts a return before another: the module becomes invalid. */
static coro_status break_it(void *user, coro_pass_call *call, coro_diags *diags)
{
  LLVMModuleRef module = coro_module_llvm(call->module);
  LLVMValueRef function = call->function ? call->function : LLVMGetNamedFunction(module, "plain");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  LLVMPositionBuilderAtEnd(builder, LLVMGetEntryBasicBlock(function));
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  coro_module_mark_edited(call->module);
  return look(user, call, diags);
}

static coro_status run_inside(void *user, coro_pass_call *call, coro_diags *diags)
{
  coro_options in_place = CORO_OPTIONS_INIT;
  in_place.in_place = true;
  CHECK(coro_run(call->module, "coro-early", &in_place, NULL, NULL) == CORO_EUSAGE, "a lent module in place");
  CHECK(coro_run(call->module, "no-such-pass", NULL, NULL, NULL) == CORO_EPIPELINE, "a run that fails inside");
  uint64_t before = coro_module_generation(call->module);
  coro_status status = coro_run(call->module, "coro-early,coro-split,coro-cleanup,globaldce", NULL, NULL, diags);
  CHECK(coro_module_generation(call->module) == before + 1, "a run inside a pass counts as a change");
  coro_module_free(call->module); /* has no effect */
  return status ? status : look(user, call, diags);
}

static coro_status run_broken(void *user, coro_pass_call *call, coro_diags *diags)
{
  coro_status status = break_it(user, call, diags);
  CHECK(coro_run(call->module, "instcombine", NULL, NULL, diags) == CORO_EVERIFY, "no run accepts a broken module");
  CHECK(coro_explain(call->module, NULL, NULL, &(coro_report *){NULL}, diags) == CORO_EVERIFY, "nor is it explained");
  coro_diags_clear(diags);
  return status;
}

static coro_status put_other(void *user, coro_pass_call *call, coro_diags *diags)
{
  static const char other[] = "define void @other() {\n  ret void\n}\n";
  coro_status status = coro_module_set(call->module, other, strlen(other), NULL, diags);
  return status ? status : look(user, call, diags);
}

static coro_status refuse(void *user, coro_pass_call *call, coro_diags *diags)
{
  note(user, call->function_name);
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EREJECTED, .function = "plain", .message = "not this one"});
}

static coro_status fail_silently(void *user, coro_pass_call *call, coro_diags *diags)
{
  (void)user, (void)call, (void)diags;
  return CORO_ECALLBACK;
}

static coro_status remark(void *user, coro_pass_call *call, coro_diags *diags)
{
  coro_remark said = {
      .pass = call->name, .name = "Seen", .function = call->function_name, .message = "m", .done = true};
  (void)user, (void)diags;
  return coro_pass_remark(call->module, &said);
}

static coro_status again(void *user, coro_pass_call *call, coro_diags *diags)
{
  struct seen *seen = user;
  coro_custom_pass self = {"again", CORO_PASS_MODULE, again, seen};
  coro_options options = CORO_OPTIONS_INIT;
  options.passes = &self;
  options.pass_count = 1;
  seen->calls++;
  return coro_run(call->module, "again", &options, NULL, diags);
}

/* ---- Runs ---- */

static coro_status run_on(coro_module *module, const char *passes, const coro_custom_pass *custom, size_t count,
                          coro_report **report, coro_diags *diags)
{
  coro_options options = CORO_OPTIONS_INIT;
  options.passes = custom;
  options.pass_count = count;
  return coro_run(module, passes, &options, report, diags);
}

/* Runs one pass `mine`; after a failure the module must be unchanged. */
static coro_status run(const char *passes, coro_pass_level level,
                       coro_status (*pass)(void *, coro_pass_call *, coro_diags *), struct seen *seen,
                       coro_report **report, coro_diags *diags)
{
  coro_custom_pass mine = {"mine", level, pass, seen};
  coro_module *module;
  char *before, *now;
  *seen = (struct seen){0};
  coro_diags_clear(diags);
  CHECK(coro_module_parse(&module, text, strlen(text), "custom", diags) == CORO_OK, "parse");
  CHECK(coro_module_print(module, &before) == CORO_OK, "print");
  coro_status status = run_on(module, passes, &mine, 1, report, diags);
  CHECK(coro_module_print(module, &now) == CORO_OK && coro_module_verify(module, NULL) == CORO_OK, "verifies");
  CHECK(!status || (!strcmp(before, now) && !coro_module_generation(module)), "%s left traces", passes);
  CHECK(!status == !coro_diags_count(diags), "%s: %d and %zu diagnostics", passes, status, coro_diags_count(diags));
  coro_string_free(before);
  coro_string_free(now);
  coro_module_free(module);
  return status;
}

static void check_order(coro_diags *diags)
{
  static const struct {
    const char *passes;
    coro_pass_level level;
    const char *seen;
  } cases[] = {
      {"mine<depth=3>", CORO_PASS_MODULE, "depth=3 "},
      {"mine,mine<>,mine<a;b=c>", CORO_PASS_MODULE, "  a;b=c "},
      {"coro-cond(mine<x>)", CORO_PASS_MODULE, "x "},
      {"mine", CORO_PASS_FUNCTION, "plain  outer inner  "},
      {"function(mine)", CORO_PASS_FUNCTION, "plain  outer inner  "},
      {"cgscc(mine)", CORO_PASS_CGSCC, " inner outer plain  "},
      {"mine", CORO_PASS_COROUTINE, "inner outer "},
      {"coro-split,mine", CORO_PASS_COROUTINE, ""},
      {"cgscc(mine,inline)", CORO_PASS_COROUTINE, "inner outer "},
      {"cgscc(mine,inline,coro-split)", CORO_PASS_COROUTINE, "inner outer "},
  };
  struct seen seen;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CHECK(run(cases[i].passes, cases[i].level, look, &seen, NULL, diags) == CORO_OK, "%s", cases[i].passes);
    bool as_said = !strcmp(seen.text, cases[i].seen) || cases[i].level == CORO_PASS_CGSCC;
    CHECK(as_said, "%s saw '%s'", cases[i].passes, seen.text);
    const char *inner = strstr(seen.text, "inner"), *outer = strstr(seen.text, "outer");
    bool callees_first = cases[i].level == CORO_PASS_FUNCTION || (!inner == !outer && (!inner || inner < outer));
    CHECK(callees_first, "%s saw '%s'", cases[i].passes, seen.text);
  }
  CHECK(!run("coro-early,cgscc(mine,coro-split)", CORO_PASS_COROUTINE, look_at_callee, &seen, NULL, diags), "joined");
  CHECK(!strcmp(seen.text, "whole inner split outer "), "joined: %s", seen.text);
  CHECK(!run("coro-early,cgscc(mine),coro-split", CORO_PASS_COROUTINE, look_at_callee, &seen, NULL, diags), "apart");
  CHECK(!strcmp(seen.text, "whole inner whole outer "), "apart: %s", seen.text);
  CHECK(!run("function(mine)", CORO_PASS_FUNCTION, erase_next, &seen, NULL, diags), "erase");
  CHECK(!strcmp(seen.text, "plain  outer  "), "erased nodes are not visited: '%s'", seen.text);
}

static void check_changes(coro_diags *diags)
{
  struct seen seen;
  coro_report *report = NULL;
  CHECK(!run("mine,coro-cleanup", CORO_PASS_MODULE, run_inside, &seen, &report, diags), "a run inside");
  CHECK(coro_report_pass_count(report) == 2 && !coro_report_pass(report, 0)->ours, "two passes are reported");
  coro_report_free(report);
  CHECK(!run("function(mine),coro-cleanup", CORO_PASS_FUNCTION, run_inside, &seen, NULL, diags), "for each function");
  CHECK(!run("coro-early,mine,function(mine)", CORO_PASS_FUNCTION, put_other, &seen, NULL, diags), "other IR");
  CHECK(!strcmp(seen.text, "plain other "), "no old node is visited: %s", seen.text);
  CHECK(!run("mine", CORO_PASS_FUNCTION, remark, &seen, &report, diags), "remarks");
  CHECK(coro_report_remark_count(report) == 5, "%zu remarks", coro_report_remark_count(report));
  CHECK(!strcmp(coro_report_remark(report, 2)->function, "outer"), "in their order");
  coro_report_free(report);
  CHECK(!run("mine", CORO_PASS_MODULE, remark, &seen, NULL, diags), "remarks for nobody");
}

static void check_in_place(coro_diags *diags)
{
  struct seen seen = {0};
  coro_module *module;
  char *now;
  coro_custom_pass mine = {"mine", CORO_PASS_MODULE, run_inside, &seen};
  coro_options options = CORO_OPTIONS_INIT;
  options.passes = &mine;
  options.pass_count = 1;
  options.in_place = true;
  CHECK(coro_module_parse(&module, text, strlen(text), "custom", diags) == CORO_OK, "parse");
  CHECK(coro_run(module, "mine", &options, NULL, diags) == CORO_OK, "in place");
  CHECK(coro_module_print(module, &now) == CORO_OK && !strstr(now, "llvm.coro.begin"), "lowered in place");
  coro_string_free(now);
  coro_module_free(module);
}

static void check_failures(coro_diags *diags)
{
  struct seen seen;
  coro_report *report = NULL;
  CHECK(run("coro-early,mine", CORO_PASS_MODULE, refuse, &seen, &report, diags) == CORO_EREJECTED, "refused");
  CHECK(!report && !strcmp(coro_diags_get(diags, 0)->message, "not this one"), "by what it said");
  CHECK(run("mine", CORO_PASS_MODULE, fail_silently, &seen, NULL, diags) == CORO_ECALLBACK, "failed");
  CHECK(strstr(coro_diags_get(diags, 0)->message, "'mine'"), "by name");
  CHECK(run("mine", CORO_PASS_MODULE, break_it, &seen, NULL, diags) == CORO_EVERIFY, "broken");
  CHECK(strstr(coro_diags_get(diags, 0)->message, "after mine: "), "%s", coro_diags_get(diags, 0)->message);
  CHECK(run("cgscc(mine,coro-split)", CORO_PASS_CGSCC, break_it, &seen, NULL, diags) == CORO_EVERIFY, "beside split");
  CHECK(run("function(mine)", CORO_PASS_FUNCTION, break_it, &seen, NULL, diags) == CORO_EVERIFY, "a function");
  CHECK(!strcmp(seen.text, "plain "), "the first rejection ends the run: %s", seen.text);
  CHECK(run("mine", CORO_PASS_MODULE, run_broken, &seen, NULL, diags) == CORO_EVERIFY, "broken, then run");
  CHECK(run("mine", CORO_PASS_MODULE, again, &seen, NULL, diags) == CORO_EUSAGE, "without end");
  CHECK(seen.calls == 64 && strstr(coro_diags_get(diags, 0)->message, "64 levels deep"), "%u calls", seen.calls);
  CHECK(run("function(mine)", CORO_PASS_MODULE, look, &seen, NULL, diags) == CORO_EPIPELINE, "a module pass inside");
  CHECK(run("mine(sroa)", CORO_PASS_MODULE, look, &seen, NULL, diags) == CORO_EPIPELINE, "a pass is no group");
  CHECK(run("mine<depth=3", CORO_PASS_MODULE, look, &seen, NULL, diags) == CORO_EPIPELINE, "not closed");
  CHECK(run("mien", CORO_PASS_MODULE, look, &seen, NULL, diags) == CORO_EPIPELINE, "another name");
  CHECK(strstr(coro_diags_get(diags, 0)->hint, "mine"), "the nearest one: %s", coro_diags_get(diags, 0)->hint);
}

static void check_wrong_passes(coro_diags *diags)
{
  static const coro_custom_pass wrong[][2] = {
      {{NULL, CORO_PASS_MODULE, look, NULL}, {"x", CORO_PASS_MODULE, look, NULL}},
      {{"", CORO_PASS_MODULE, look, NULL}, {"x", CORO_PASS_MODULE, look, NULL}},
      {{"a b", CORO_PASS_MODULE, look, NULL}, {"x", CORO_PASS_MODULE, look, NULL}},
      {{"a<b>", CORO_PASS_MODULE, look, NULL}, {"x", CORO_PASS_MODULE, look, NULL}},
      {{"coro-split", CORO_PASS_CGSCC, look, NULL}, {"x", CORO_PASS_MODULE, look, NULL}},
      {{"a", CORO_PASS_MODULE, NULL, NULL}, {"x", CORO_PASS_MODULE, look, NULL}},
      {{"a", (coro_pass_level)4, look, NULL}, {"x", CORO_PASS_MODULE, look, NULL}},
      {{"x", CORO_PASS_MODULE, look, NULL}, {"x", CORO_PASS_FUNCTION, look, NULL}},
  };
  coro_module *module;
  coro_options options = CORO_OPTIONS_INIT;
  CHECK(coro_module_parse(&module, text, strlen(text), "custom", diags) == CORO_OK, "parse");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    options.passes = wrong[i];
    options.pass_count = 2;
    coro_diags_clear(diags);
    CHECK(coro_run(module, "coro-early", &options, NULL, diags) == CORO_EUSAGE, "wrong %zu", i);
    CHECK(coro_pipeline_check("", &options, NULL, NULL) == CORO_EUSAGE, "wrong %zu", i);
    CHECK(coro_diags_count(diags) == 1 && *coro_diags_get(diags, 0)->hint, "error %zu is reported", i);
  }
  options.passes = NULL;
  CHECK(coro_run(module, "", &options, NULL, diags) == CORO_EUSAGE, "no passes");
  CHECK(coro_pass_remark(module, &(coro_remark){.pass = ""}) == CORO_EUSAGE, "a module that was not lent");
  CHECK(coro_pass_remark(NULL, NULL) == CORO_EUSAGE, "no module");
  coro_module_mark_edited(NULL);
  CHECK(coro_diags_add(diags, NULL) == CORO_EUSAGE, "no diagnostic");
  coro_module_free(module);
}

int main(void)
{
  coro_diags *diags;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  check_order(diags);
  check_changes(diags);
  check_in_place(diags);
  check_failures(diags);
  check_wrong_passes(diags);
  coro_diags_free(diags);
  return check_done("custom_pass");
}
