/* Calls every function of pycoro.h with null arguments, and with options of unknown versions: an error, no crash. */
#include <string.h>

#include "check.h"
#include "pycoro.h"

/* Returns whether the last diagnostic has the rule; frees all diagnostics. */
static bool tells(coro_diags *diags, const char *rule)
{
  size_t count = coro_diags_count(diags);
  bool told = count && !strcmp(coro_diags_get(diags, count - 1)->rule, rule);
  coro_diags_clear(diags);
  return told;
}

static void modules(coro_module *module)
{
  coro_module *made = NULL;
  char *text = NULL;
  size_t size = 0;
  const coro_function_info *functions = NULL;
  CHECK(coro_module_parse(NULL, "", 0, "", NULL) == CORO_EUSAGE, "parse");
  CHECK(coro_module_parse(&made, NULL, 1, "", NULL) == CORO_EUSAGE && !made, "parse nothing");
  CHECK(coro_reader_create(NULL) == CORO_EUSAGE, "reader");
  CHECK(coro_reader_use_process(NULL, (const char *const[]){"a", NULL}) == CORO_EUSAGE, "process of no reader");
  CHECK(coro_module_check_sandboxed(NULL, NULL, 1, "", NULL) == CORO_EUSAGE, "rehearse");
  CHECK(coro_module_set(NULL, "", 0, NULL, NULL) == CORO_EUSAGE, "set of none");
  CHECK(coro_module_set(module, NULL, 1, NULL, NULL) == CORO_EUSAGE, "set to nothing");
  CHECK(coro_module_set(module, "define", 6, NULL, NULL) == CORO_EPARSE, "set to no IR");
  CHECK(coro_module_adopt(&made, NULL, NULL) == CORO_EUSAGE, "adopt");
  CHECK(coro_module_clone(&made, NULL, NULL) == CORO_EUSAGE, "clone");
  CHECK(coro_module_clone(NULL, module, NULL) == CORO_EUSAGE, "clone to nowhere");
  CHECK(!coro_module_llvm(NULL) && !coro_module_generation(NULL), "what there is of none");
  CHECK(coro_module_print(NULL, &text) == CORO_EUSAGE, "print");
  CHECK(coro_module_interface(module, NULL) == CORO_EUSAGE, "outline");
  CHECK(coro_module_bitcode(module, &text, NULL) == CORO_EUSAGE, "bitcode");
  CHECK(coro_module_bitcode(NULL, &text, &size) == CORO_EUSAGE, "bitcode of none");
  CHECK(coro_module_verify(NULL, NULL) == CORO_EUSAGE, "verify");
  CHECK(coro_module_functions(NULL, &functions, &size) == CORO_EUSAGE, "functions");
  CHECK(coro_module_function(NULL, NULL, &functions) == CORO_EUSAGE && !functions, "a function");
  CHECK(coro_module_function(module, NULL, &functions) == CORO_EUSAGE && !functions, "no function");
  CHECK(coro_module_functions(module, NULL, NULL) == CORO_EUSAGE, "functions to nowhere");
  coro_module_free(NULL);
}

static void passes(coro_module *module)
{
  static char was;
  coro_report *report = NULL;
  char *text = &was;
  coro_options options = CORO_OPTIONS_INIT;
  coro_explain_options explain = CORO_EXPLAIN_OPTIONS_INIT;
  options.version = explain.version = 2;
  CHECK(coro_run(NULL, "", NULL, &report, NULL) == CORO_EUSAGE, "run");
  CHECK(coro_run(module, NULL, NULL, &report, NULL) == CORO_EUSAGE, "run nothing");
  CHECK(coro_run(module, "", &options, &report, NULL) == CORO_EUSAGE, "options of run");
  CHECK(coro_run_llvm(NULL, "", NULL) == CORO_EUSAGE, "run_llvm");
  CHECK(coro_pipeline_check(NULL, NULL, NULL, NULL) == CORO_EUSAGE, "pipeline_check");
  CHECK(coro_explain(NULL, NULL, NULL, &report, NULL) == CORO_EUSAGE, "explain");
  CHECK(coro_explain(module, NULL, NULL, NULL, NULL) == CORO_EUSAGE, "explain to nowhere");
  CHECK(coro_explain(module, NULL, &explain, &report, NULL) == CORO_EUSAGE && !report, "options of explain");
  CHECK(coro_stage_text(NULL, "f", NULL, NULL, &text, NULL) == CORO_EUSAGE && !text, "stage_text");
  text = &was;
  CHECK(coro_stage_text(module, NULL, NULL, NULL, &text, NULL) == CORO_EUSAGE && !text, "stage_text of nothing");
  CHECK(coro_stage_text(module, "f", NULL, NULL, NULL, NULL) == CORO_EUSAGE, "stage_text to nowhere");
  text = &was;
  CHECK(coro_stage_text(module, "f", "none", NULL, &text, NULL) == CORO_EUSAGE && !text, "a stage that does not exist");
  text = &was;
  CHECK(coro_stage_text(module, "f", NULL, &explain, &text, NULL) == CORO_EUSAGE && !text, "options of stage_text");
  text = &was;
  CHECK(coro_stage_text(module, "f", NULL, NULL, &text, NULL) == CORO_EUSAGE && !text, "stage_text of no coroutine");
  CHECK(!coro_stage_name(9999, NULL), "a stage after the last");
  CHECK(!coro_report_coroutine_count(NULL) && !coro_report_coroutine(NULL, 0), "coroutines of no report");
  CHECK(!coro_report_pass_count(NULL) && !coro_report_pass(NULL, 0), "passes of no report");
  CHECK(!coro_report_remark_count(NULL) && !coro_report_remark(NULL, 0), "remarks of no report");
  CHECK(!coro_report_elision_count(NULL) && !coro_report_elision(NULL, 0), "elisions of no report");
  coro_report_free(NULL);
}

/* Checks that each invalid call reports the same rule. */
static void rules(coro_module *module, coro_diags *diags)
{
  coro_options options = CORO_OPTIONS_INIT;
  CHECK(coro_run(NULL, "", NULL, NULL, diags) == CORO_EUSAGE && tells(diags, "missing-argument"), "run");
  CHECK(coro_run_llvm(module, NULL, diags) == CORO_EUSAGE && tells(diags, "missing-argument"), "run_llvm");
  CHECK(coro_pipeline_check_confined(NULL, diags) == CORO_EUSAGE && tells(diags, "missing-argument"), "confined");
  options.abi_count = 1;
  CHECK(coro_run(module, "", &options, NULL, diags) == CORO_EUSAGE && tells(diags, "missing-argument"), "no ABIs");
  options.version = 0;
  CHECK(coro_run(module, "", &options, NULL, diags) == CORO_EUSAGE && tells(diags, "options-version"), "no version");
}

/* Checks that a failed call sets its result to null. */
static void outputs(const coro_module *module)
{
  static char was;
  char *text = &was;
  void *address = &was;
  coro_values results = {(const coro_value *)(const void *)&was, 7};
  const coro_function_info *functions = (const coro_function_info *)(const void *)&was;
  coro_interp *interp = (coro_interp *)(void *)&was;
  coro_interp_options limits = CORO_INTERP_OPTIONS_INIT;
  size_t size = 7;
  limits.version = 99;
  CHECK(coro_module_print(NULL, &text) && !text, "print");
  text = &was;
  CHECK(coro_module_interface(NULL, &text) && !text, "outline");
  text = &was;
  CHECK(coro_module_bitcode(NULL, &text, &size) && !text && !size, "bitcode");
  size = 7;
  CHECK(coro_module_functions(NULL, &functions, &size) && !functions && !size, "functions");
  CHECK(coro_engine_lookup(NULL, "f", &address, NULL) && !address, "lookup");
  address = &was;
  CHECK(coro_interp_address(NULL, "f", &address, NULL) && !address, "address");
  CHECK(coro_interp_call(NULL, &was, results, &results, NULL) && !results.items && !results.count, "call");
  CHECK(coro_interp_create(&interp, module, &limits, NULL) && !interp, "interpreter");
}

static void executed(const coro_module *module)
{
  coro_interp *interp = NULL;
  void *address = NULL;
  CHECK(coro_interp_create(&interp, module, NULL, NULL) == CORO_OK, "an interpreter");
  CHECK(coro_interp_define(interp, "x", NULL, NULL) == CORO_EUSAGE, "define");
  CHECK(coro_interp_address(interp, NULL, &address, NULL) == CORO_EUSAGE, "address");
  CHECK(coro_interp_call(interp, NULL, (coro_values){NULL, 0}, NULL, NULL) == CORO_EUSAGE, "call nothing");
  CHECK(coro_interp_call(interp, &address, (coro_values){NULL, 1}, NULL, NULL) == CORO_EUSAGE, "call with nothing");
  CHECK(coro_interp_resume(interp, NULL, NULL) == CORO_EUSAGE, "resume");
  CHECK(coro_interp_destroy(NULL, &address, NULL) == CORO_EUSAGE, "destroy");
  CHECK(coro_interp_share(interp, NULL, 1, NULL) == CORO_EUSAGE, "share");
  CHECK(!coro_interp_coroutine(NULL, &address) && !coro_interp_coroutine(interp, NULL), "no coroutine is there");
  CHECK(!coro_interp_coroutine(interp, &address), "memory of the host is not a frame");
  CHECK(!coro_interp_suspend(NULL, &address) && !coro_interp_suspend(interp, NULL),
        "there is no coroutine at this address");
  CHECK(!coro_interp_suspend(interp, &address), "an address that is not a coroutine has no suspend");
  CHECK(!coro_interp_value_names(NULL, &address, NULL) && !coro_interp_value_names(interp, &address, NULL),
        "and has no values");
  CHECK(!coro_interp_get_value(NULL, &address, 0).count && !coro_interp_get_value(interp, &address, 0).count,
        "returns none");
  CHECK(!coro_interp_set_value(NULL, &address, 0, (coro_values){NULL, 0}), "and is given none");
  CHECK(!coro_interp_recompute(NULL, &address, 0, NULL, 0) && !coro_interp_recompute(interp, &address, 0, NULL, 0),
        "nor computes");
  CHECK(!coro_interp_coroutine_at(NULL, &address) && !coro_interp_coroutine_at(interp, &address), "nor is known");
  CHECK(!coro_interp_set_value(interp, &address, 0, (coro_values){NULL, 0}), "and is given none");
  CHECK(!coro_interp_is_defined(interp, NULL, 1) && !coro_interp_is_accessible(NULL, &address, 1),
        "nothing is defined");
  CHECK(!coro_interp_steps(NULL), "steps");
  coro_interp_mark_written(NULL, NULL, 0);
  coro_interp_unshare(NULL, NULL);
  coro_interp_allow_all_memory(NULL);
  coro_interp_free(interp);
}

static void engines(const coro_module *module)
{
  coro_engine *engine = NULL;
  coro_interp *interp = NULL;
  coro_engine_options options = CORO_ENGINE_OPTIONS_INIT;
  coro_interp_options limits = CORO_INTERP_OPTIONS_INIT;
  options.version = limits.version = 99;
  CHECK(coro_engine_create(NULL, NULL, NULL) == CORO_EUSAGE, "engine");
  CHECK(coro_engine_create(&engine, &options, NULL) == CORO_EUSAGE && !engine, "options of an engine");
  CHECK(coro_engine_add(NULL, module, NULL) == CORO_EUSAGE, "add");
  CHECK(coro_engine_add_sandboxed(NULL, module, NULL) == CORO_EUSAGE, "add_guarded");
  CHECK(coro_engine_add_owned(NULL, NULL, NULL) == CORO_EUSAGE, "take");
  CHECK(coro_engine_lookup(NULL, "f", NULL, NULL) == CORO_EUSAGE, "lookup");
  CHECK(coro_engine_track_running(NULL, module, "f", 16, 1, NULL) == CORO_EUSAGE, "ask whether it runs");
  CHECK(coro_engine_define(NULL, "f", NULL, NULL) == CORO_EUSAGE, "define");
  CHECK(coro_engine_add_library(NULL, NULL) == CORO_EUSAGE, "library");
  CHECK(coro_engine_undefined_symbols(NULL, module, NULL, NULL) == CORO_EUSAGE, "missing");
  CHECK(coro_engine_each_clone(NULL, NULL, NULL) == CORO_EUSAGE, "parts");
  CHECK(coro_engine_run_constructors(NULL) == CORO_EUSAGE, "constructors");
  CHECK(coro_engine_resume(NULL, NULL) == CORO_EUSAGE && coro_engine_destroy(NULL, NULL) == CORO_EUSAGE, "a handle");
  CHECK(!*coro_engine_triple(NULL) && !*coro_engine_data_layout(NULL), "target machine of a NULL engine");
  CHECK(coro_interp_create(&interp, NULL, NULL, NULL) == CORO_EUSAGE && !interp, "interpreter");
  CHECK(coro_interp_create(&interp, module, &limits, NULL) == CORO_EUSAGE && !interp, "options of an interpreter");
  coro_engine_free(NULL);
  coro_interp_free(NULL);
}

int main(void)
{
  static const char text[] = "target datalayout = \"e-p:64:64\"\ndefine void @f() {\n  ret void\n}\n";
  coro_module *module = NULL;
  CHECK(coro_module_parse(&module, text, sizeof text - 1, "f", NULL) == CORO_OK, "a module");
  CHECK(coro_diags_create(NULL) == CORO_EUSAGE, "diags");
  CHECK(!coro_diags_count(NULL) && !coro_diags_get(NULL, 0), "no diagnostics");
  coro_diags_clear(NULL);
  coro_diags_free(NULL);
  modules(module);
  passes(module);
  engines(module);
  outputs(module);
  executed(module);
  coro_diags *diags = NULL;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diagnostics");
  rules(module, diags);
  coro_diags_free(diags);
  coro_module_free(module);
  return check_done("arguments");
}
