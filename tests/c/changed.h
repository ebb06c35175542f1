/* Applies a transformation to a function @f in text, and compares its results before and after.
   Requires: the whole library. */
#ifndef TESTS_C_CHANGED_H
#define TESTS_C_CHANGED_H

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "run/pass.h"

enum { COUNTS = 12 };

typedef bool change(struct pass_run *run, LLVMValueRef function, bool *changed);

struct text {
  char at[32768];
  size_t length;
};

__attribute__((format(printf, 2, 3))) static inline void put(struct text *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  text->length += (size_t)vsnprintf(text->at + text->length, sizeof text->at - text->length, format, arguments);
  va_end(arguments);
}

static inline char *text_of(LLVMModuleRef module)
{
  char *text = LLVMPrintModuleToString(module), *copy = strcpy(malloc(strlen(text) + 1), text);
  LLVMDisposeMessage(text);
  return copy;
}

/* Returns the text of the module after the change of @f, or NULL if nothing changed. Sets `before` to the text
   before, after these passes of LLVM's; NULL: unchanged text. */
static inline char *changed_by(change *make, const char *source, const char *passes, char **before)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(source, strlen(source), "");
  LLVMModuleRef module = NULL;
  char *message = NULL, *result = NULL;
  bool changed = false, again = false;
  if (LLVMParseIRInContext(context, buffer, &module, &message)) {
    fprintf(stderr, "%s\n%s\n", message, source);
    abort();
  }
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  CHECK(!passes || !LLVMRunPasses(module, passes, NULL, options), "%s", passes);
  LLVMDisposePassBuilderOptions(options);
  if (before)
    *before = text_of(module);
  struct intrin_table table;
  intrin_table_init(&table);
  struct pass_run run = {.module = module, .context = context, .arena = coro_arena_create(), .intrin = &table};
  LLVMValueRef function = LLVMGetNamedFunction(module, "f");
  CHECK(make(&run, function, &changed), "memory");
  bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
  CHECK(!broken, "%s: %s", message, source);
  LLVMDisposeMessage(message);
  if (changed && !broken) {
    result = text_of(module);
    CHECK(make(&run, function, &again) && !again, "once is enough: %s", result);
  }
  coro_arena_free(run.arena);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return result;
}

/* Stores the result of @f(count) for each count below COUNTS. */
static inline void execute(const char *text, uint64_t *results)
{
  coro_diags *diags = NULL;
  coro_module *module = NULL;
  coro_interp *interp = NULL;
  coro_interp_options options = CORO_INTERP_OPTIONS_INIT;
  void *code = NULL;
  CHECK(!coro_diags_create(&diags), "diagnostics");
  CHECK(!coro_module_parse(&module, text, strlen(text), "f.ll", diags), "%s", text);
  CHECK(!coro_interp_create(&interp, module, &options, diags), "an interpreter");
  CHECK(!coro_interp_address(interp, "f", &code, diags), "address");
  for (uint64_t count = 0; count < COUNTS; count++) {
    coro_value argument = {.kind = CORO_VALUE_INT, .bits = 32, .words = {count}, .defined = true};
    coro_values got = {NULL, 0};
    CHECK(!coro_interp_call(interp, code, (coro_values){&argument, 1}, &got, diags) && got.count == 1, "%s", text);
    CHECK(got.count && got.items[0].defined, "%s", text);
    results[count] = got.count ? got.items[0].words[0] : UINT64_MAX;
  }
  coro_interp_free(interp);
  coro_module_free(module);
  coro_diags_free(diags);
}

/* Returns whether something changed. */
static inline bool does_the_same(change *make, const char *source, const char *passes)
{
  uint64_t was[COUNTS], is[COUNTS];
  char *before = NULL, *after = changed_by(make, source, passes, &before);
  bool done = after;
  if (done) {
    execute(before, was);
    execute(after, is);
    CHECK(!memcmp(was, is, sizeof was), "%s\nbecame\n%s", before, after);
  }
  free(before);
  free(after);
  return done;
}

#endif
