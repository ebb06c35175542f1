/* Pass strings: parsing, errors with their positions, and failed runs that leave the module unchanged.
   Requires: the whole library. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pycoro.h"

static void check_spelling(void)
{
  static const struct {
    const char *given, *canonical;
  } cases[] = {
      {"", ""},
      {"coro-early", "coro-early"},
      {"coro-split", "cgscc(coro-split)"},
      {"coro-split<>", "cgscc(coro-split<>)"},
      {"coro-split<reuse-storage>", "cgscc(coro-split<reuse-storage>)"},
      {"coro-elide<max-frame-bytes=0>", "function(coro-elide<max-frame-bytes=0>)"},
      {"coro-early<max-frame-bytes=0>", "coro-early<max-frame-bytes=0>"},
      {"coro-annotation-elide<max-frame-bytes=9999999999999999999>",
       "cgscc(coro-annotation-elide<max-frame-bytes=9999999999999999999>)"},
      {"coro-early,coro-split,coro-annotation-elide,coro-elide,coro-cleanup",
       "coro-early,cgscc(coro-split,coro-annotation-elide),function(coro-elide),coro-cleanup"},
      {"coro-cond(coro-early,coro-split,coro-cleanup,globaldce)",
       "coro-cond(coro-early,cgscc(coro-split),coro-cleanup,globaldce)"},
      {"cgscc(inline,coro-elide,coro-split,function(simplifycfg))",
       "cgscc(inline,function(coro-elide),coro-split,function(simplifycfg))"},
      {"cgscc(devirt<4>(inline,coro-split))", "cgscc(devirt<4>(inline,coro-split))"},
      {"instcombine,coro-early", "module(instcombine,coro-early)"},
      {"function(instcombine),coro-early", "function(instcombine),coro-early"},
      {"default<O2>", "default<O2>"},
      {"instcombine<max-iterations=2>", "instcombine<max-iterations=2>"},
      {"function(instcombine<>,instcombine<no-verify-fixpoint>)",
       "function(instcombine<>,instcombine<no-verify-fixpoint>)"},
      {"function(loop-mssa(licm)),coro-early", "function(loop-mssa(licm)),coro-early"},
      {"module(module(coro-early))", "module(module(coro-early))"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *out = NULL, *again = NULL;
    CHECK(coro_pipeline_check(cases[i].given, NULL, &out, NULL) == CORO_OK, "%s", cases[i].given);
    CHECK(out && !strcmp(out, cases[i].canonical), "%s became %s", cases[i].given, out);
    CHECK(out && coro_pipeline_check(out, NULL, &again, NULL) == CORO_OK && !strcmp(out, again), "%s became %s", out,
          again);
    coro_string_free(out);
    coro_string_free(again);
  }
  CHECK(coro_pipeline_check("coro-early", NULL, NULL, NULL) == CORO_OK, "the spelling is optional");
}

static void check_refusals(void)
{
  static const struct {
    const char *given, *message;
    unsigned at; /* character, from 1 */
  } cases[] = {
      {"foo", "'foo'", 1},
      {"coro-early,foo", "'foo'", 12},
      {"coro-early,function(sroa,foo)", "'foo'", 26},
      {"coro-cleanup<x>", "'coro-cleanup<x>'", 1},
      {"coro-early<x>", "parameter 'x'", 1},
      {"coro-split<x>", "parameter 'x'", 1},
      {"coro-split<reuse-storage", "unknown", 1},
      {"coro-elide<max-frame-bytes>", "parameter 'max-frame-bytes'", 1},
      {"coro-elide<max-frame-bytes=-1>", "parameter 'max-frame-bytes=-1'", 1},
      {"coro-annotation-elide<max-frame-bytes=10000000000000000000>", "parameter 'max-frame-bytes=1", 1},
      {"coro-early(sroa)", "'coro-early' is a pass", 1},
      {"function(coro-early)", "module pass", 10},
      {"cgscc(coro-cleanup)", "module pass", 7},
      {"function(coro-split)", "cgscc pass", 10},
      {"function(cgscc(coro-split))", "cannot be used in a", 10},
      {"function(loop(coro-elide))", "cannot hold", 10},
      {"repeat<2>(coro-early)", "cannot hold", 1},
      {"(coro-early)", "missing", 1},
      {"module()", "missing", 8},
      {"module(coro-early", "not closed", 1},
      {"coro-early)", "has no opening one", 11},
      {"module(coro-early)sroa", "comma", 19},
      {"module(coro-early)(sroa)", "comma", 19},
      {",coro-early", "missing", 1},
      {"coro-early,,coro-split", "missing", 12},
      {" coro-early", "' coro-early'", 1},
      {"coro-early,trigger-crash-module", "process", 12},
      {"function(sroa,codegenprepare)", "process", 15},
      {"function(print<ir2vec>)", "process", 10},
      {"instcombine<verify-fixpoint>", "process", 1},
      {"licm", "'licm'", 1},
      {"function(loop-mssa(licm),loop(lnicm<allowspeculation>))", "process", 31},
      {"dead-mi-elimination", "dead-mi-elimination", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    coro_diags *diags;
    char *out = (char *)cases, place[64];
    snprintf(place, sizeof place, "(at character %u of", cases[i].at);
    CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
    CHECK(coro_pipeline_check(cases[i].given, NULL, &out, diags) == CORO_EPIPELINE && !out, "%s", cases[i].given);
    const coro_diag *diag = coro_diags_get(diags, 0);
    CHECK(diag && coro_diags_count(diags) == 1, "one diagnostic for %s", cases[i].given);
    CHECK(diag && strstr(diag->message, cases[i].message), "%s: %s", cases[i].given, diag ? diag->message : "");
    CHECK(diag && strstr(diag->message, place), "%s: %s", cases[i].given, diag ? diag->message : "");
    CHECK(diag && *diag->hint, "a hint for %s", cases[i].given);
    coro_diags_free(diags);
  }
  size_t deep = 100000;
  char *text = malloc(8 * deep + 1);
  for (size_t i = 0; text && i < deep; i++)
    memcpy(text + 7 * i, "module(", 8);
  CHECK(text && coro_pipeline_check(text, NULL, NULL, NULL) == CORO_EPIPELINE, "too deep");
  free(text);
}

/* All errors are reported in the order of the string, each with its position. */
static void check_all_problems(void)
{
  static const char given[] = "coro-erly,function(sroa,foo,coro-early),function(cgscc(inline)),,instcombin,licm,x<";
  static const struct {
    uint32_t at, length;
    const char *message, *hint;
  } problems[] = {
      {0, 9, "'coro-erly'", "coro-early?"},     {24, 3, "'foo'", "--print-passes"},
      {28, 10, "'coro-early' is a module", ""}, {49, 5, "'cgscc'", "move it out"},
      {64, 0, "missing", "name a pass"},        {65, 10, "'instcombin'", "instcombine?"},
      {76, 4, "'licm'", "loop-mssa"},           {81, 2, "'x<'", "--print-passes"},
  };
  coro_diags *diags;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  CHECK(coro_pipeline_check(given, NULL, NULL, diags) == CORO_EPIPELINE, "%s", given);
  CHECK(coro_diags_count(diags) == sizeof problems / sizeof *problems, "%zu problems", coro_diags_count(diags));
  for (size_t i = 0; i < coro_diags_count(diags); i++) {
    const coro_diag *diag = coro_diags_get(diags, i);
    CHECK(diag->at == problems[i].at && diag->length == problems[i].length, "%zu: at %u, %s", i, diag->at,
          diag->message);
    CHECK(strstr(diag->message, problems[i].message), "%zu: %s", i, diag->message);
    CHECK(strstr(diag->hint, problems[i].hint), "%zu: %s", i, diag->hint);
    CHECK(!strcmp(diag->passes, given), "%zu: the string", i);
  }
  coro_diags_clear(diags);
  CHECK(coro_pipeline_check("module(", NULL, NULL, diags) == CORO_EPIPELINE && coro_diags_count(diags) == 2, "module(");
  coro_diags_clear(diags);
  char *many = calloc(1, 4 * 1000 + 1);
  for (int i = 0; many && i < 1000; i++)
    strcat(many, "foo,");
  CHECK(many && coro_pipeline_check(many, NULL, NULL, diags) == CORO_EPIPELINE, "many");
  CHECK(coro_diags_count(diags) == 20, "twenty are enough: %zu", coro_diags_count(diags));
  free(many);
  coro_diags_free(diags);
}

/* Every string is parsed or rejected; parsed ones have one canonical spelling. */
static void check_random_strings(void)
{
  static const char *const pieces[] = {"coro-early", "coro-split", "coro-elide", "module", "cgscc", "function",
                                       "(",          ")",          ",",          "sroa",   "<",     ">",
                                       "coro-cond",  "(",          ")",          ","};
  uint64_t state = 7;
  unsigned understood = 0;
  for (int round = 0; round < 3000; round++) {
    char text[256] = "", *out = NULL, *again = NULL;
    for (uint32_t i = check_below(&state, 10) + 1; i > 0; i--)
      strcat(text, pieces[check_below(&state, sizeof pieces / sizeof *pieces)]);
    coro_status status = coro_pipeline_check(text, NULL, &out, NULL);
    CHECK(status == CORO_OK || status == CORO_EPIPELINE, "%s: %d", text, status);
    CHECK((status == CORO_OK) == (out != NULL), "%s", text);
    if (out) {
      understood++;
      CHECK(coro_pipeline_check(out, NULL, &again, NULL) == CORO_OK && !strcmp(out, again), "%s, %s, %s", text, out,
            again);
    }
    coro_string_free(out);
    coro_string_free(again);
  }
  CHECK(understood > 20, "%u of the random strings are pass strings", understood);
}

static const char handles[] = "define i1 @f(ptr %h) {\n  call void @llvm.coro.resume(ptr %h)\n"
                              "  %d = call i1 @llvm.coro.done(ptr %h)\n  ret i1 %d\n}\n"
                              "define internal void @unused() {\n  ret void\n}\n"
                              "declare void @llvm.coro.resume(ptr)\ndeclare i1 @llvm.coro.done(ptr)\n";

struct seen {
  char passes[256];
  unsigned breaths, stop_after;
};

static int after(void *user, const char *pass, const char *target, const char *ir)
{
  struct seen *seen = user;
  strncat(seen->passes, pass, 100);
  strncat(seen->passes, target[0] == '[' ? ";" : "?", 2);
  return !strstr(ir, "@f") || (seen->stop_after && !--seen->stop_after);
}

static int interrupted(void *user)
{
  struct seen *seen = user;
  return ++seen->breaths == 2;
}

/* Runs, and compares the module with its text before: equal on failure. */
static coro_status run(const char *passes, const coro_options *options, coro_report **report)
{
  coro_module *module;
  coro_diags *diags;
  char *before, *now;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  CHECK(coro_module_parse(&module, handles, strlen(handles), "handles", diags) == CORO_OK, "parse");
  CHECK(coro_module_print(module, &before) == CORO_OK, "print");
  coro_status status = coro_run(module, passes, options, report, diags);
  CHECK(coro_module_print(module, &now) == CORO_OK, "print");
  CHECK(!status || (!strcmp(before, now) && coro_module_generation(module) == 0), "%s left traces: %s", passes, now);
  CHECK(status || coro_module_generation(module) == (*passes != 0), "%s: generation", passes);
  CHECK(!status == !coro_diags_count(diags), "%s: diagnostics", passes);
  CHECK(coro_module_verify(module, NULL) == CORO_OK, "%s: verifies", passes);
  coro_string_free(before);
  coro_string_free(now);
  coro_module_free(module);
  coro_diags_free(diags);
  return status;
}

static void check_runs(void)
{
  const coro_options defaults = CORO_OPTIONS_INIT;
  coro_report *report = (coro_report *)handles;
  CHECK(run("", NULL, &report) == CORO_OK && report && !coro_report_pass_count(report), "nothing to do");
  coro_report_free(report);
  struct seen seen = {"", 0, 0};
  coro_options options = defaults;
  options.verify_each = true;
  options.after_pass = after;
  options.user = &seen;
  CHECK(run("coro-early,globaldce,coro-split,coro-cleanup", &options, &report) == CORO_OK, "run");
  CHECK(!strcmp(seen.passes, "coro-early;globaldce;coro-split;coro-cleanup;"), "%s", seen.passes);
  CHECK(coro_report_pass_count(report) == 4 && !coro_report_pass(report, 4), "four passes");
  for (size_t i = 0; i < 4; i++) {
    const coro_pass_info *info = coro_report_pass(report, i);
    CHECK(info->ours == (i != 1) && info->seconds >= 0 && !strcmp(info->target, "[module]"), "%s", info->name);
  }
  coro_report_free(report);
  seen = (struct seen){"", 0, 2};
  CHECK(run("coro-early,globaldce,coro-cleanup", &options, &report) == CORO_ECALLBACK && !report, "stopped");
  CHECK(!strcmp(seen.passes, "coro-early;globaldce;"), "%s", seen.passes);
  seen = (struct seen){"", 0, 0};
  options = defaults;
  options.interrupted = interrupted;
  options.user = &seen;
  CHECK(run("coro-early,globaldce,coro-cleanup", &options, NULL) == CORO_ECALLBACK && seen.breaths == 2, "interrupted");
  options = defaults;
  options.version = 2;
  CHECK(run("coro-early", &options, NULL) == CORO_EUSAGE, "options of another version");
  CHECK(run("globaldce,coro-cleanup", NULL, NULL) == CORO_EREJECTED, "cleanup before early");
  CHECK(run("globaldce,foo", NULL, NULL) == CORO_EPIPELINE, "unknown");
  static const char *const parts[] = {"function(sroa)", "function(adce)", "module(globaldce)",
                                      "require<globals-aa>,function(gvn,adce)", "cgscc(inline,sroa)"};
  CHECK(!run("function(sroa,adce),module(globaldce),coro-early,require<globals-aa>,function(gvn,adce),coro-split,"
             "cgscc(inline,sroa)",
             NULL, &report),
        "groups");
  for (size_t i = 0, at = 0; i < coro_report_pass_count(report); i++) {
    const coro_pass_info *info = coro_report_pass(report, i);
    CHECK(info->ours || (at < 5 && !strcmp(info->name, parts[at++])), "step %zu is %s", i, info->name);
  }
  CHECK(coro_report_pass_count(report) == 7, "%zu steps", coro_report_pass_count(report));
  coro_report_free(report);
  CHECK(run("globaldce,function(function-simplification<O1>)", NULL, NULL) == CORO_EREJECTED,
        "LLVM's coroutine passes are not run");
  CHECK(run("coro-early,coro-cleanup,default<O1>", NULL, NULL) == CORO_OK, "on lowered code they change nothing");
}

int main(void)
{
  check_spelling();
  check_refusals();
  check_all_problems();
  check_random_strings();
  check_runs();
  return check_done("test_pipeline");
}
