/* Common code of the fuzz targets. Each is a libFuzzer program: for any input the library must neither crash nor hang,
   nor change a module that it rejects.
   Requires: the whole library.
   Guarantees: an abort, which libFuzzer reports with the input, on a violation. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pycoro.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const fuzz_pipelines[] = {
    "coro-early,cgscc(coro-split),coro-cleanup",
    "coro-early,cgscc(coro-split<reuse-storage>,coro-annotation-elide),function(coro-elide),coro-cleanup",
    "coro-cond(coro-early,function(sroa,simplifycfg),cgscc(coro-split),coro-cleanup,globaldce)",
};

static inline void fuzz_expect(int holds)
{
  if (!holds)
    abort();
}

/* Calls every entry point that takes a module, for a parsed one; `choice` selects the pipeline. */
static inline void fuzz_module(coro_module *module, uint8_t choice)
{
  const char *passes = fuzz_pipelines[choice % (sizeof fuzz_pipelines / sizeof *fuzz_pipelines)];
  const coro_function_info *infos;
  size_t count;
  char *before = NULL, *after = NULL;
  coro_report *report;
  coro_diags *diags = NULL;
  coro_options options = CORO_OPTIONS_INIT;
  options.verify_each = true;
  fuzz_expect(!coro_diags_create(&diags) && !coro_module_print(module, &before));
  fuzz_expect(!coro_module_functions(module, &infos, &count));
  coro_status status = coro_explain(module, NULL, NULL, &report, diags);
  fuzz_expect(status ? status == CORO_EREJECTED && coro_diags_count(diags) : report != NULL);
  coro_report_free(report);
  coro_diags_clear(diags);
  status = coro_run(module, passes, &options, &report, diags);
  fuzz_expect(!coro_module_print(module, &after));
  fuzz_expect(status ? status == CORO_EREJECTED && coro_diags_count(diags) && !strcmp(before, after) : report != NULL);
  fuzz_expect(!coro_module_verify(module, NULL));
  coro_report_free(report);
  coro_diags_free(diags);
  coro_string_free(before);
  coro_string_free(after);
}

#endif
