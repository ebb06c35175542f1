/* Pass strings: parsed, and their canonical spelling parsed once more. LLVM's passes are not run; pycoro's run if no
   other pass is in the string.
   Requires: fuzz.h. */
#include "fuzz.h"

static const char coroutine[] =
    "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare ptr @llvm.coro.begin(token, ptr)\n"
    "declare i8 @llvm.coro.suspend(token, i1)\ndeclare void @llvm.coro.end(ptr, i1, token)\n"
    "define ptr @f(ptr %m, i32 %n) presplitcoroutine {\nentry:\n"
    "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
    "  %h = call ptr @llvm.coro.begin(token %id, ptr %m)\n  br label %loop\n"
    "loop:\n  %i = phi i32 [ %n, %entry ], [ %j, %resume ]\n"
    "  %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
    "  switch i8 %s, label %out [\n    i8 0, label %resume\n    i8 1, label %out\n  ]\n"
    "resume:\n  %j = add i32 %i, %n\n  br label %loop\n"
    "out:\n  call void @llvm.coro.end(ptr %h, i1 false, token none)\n  ret ptr %h\n}\n";

static int is_ours_alone(const char *passes)
{
  static const char *const known[] = {"coro-early", "coro-split<reuse-storage>",
                                      "coro-split", "coro-annotation-elide",
                                      "coro-elide", "coro-cleanup",
                                      "module",     "cgscc",
                                      "function"};
  while (*passes) {
    size_t i = 0, length = 0;
    for (; i < sizeof known / sizeof *known && !length; i++)
      if (!strncmp(passes, known[i], strlen(known[i])))
        length = strlen(known[i]);
    length = length ? length : strchr("(),", *passes) ? 1 : 0;
    if (!length)
      return 0;
    passes += length;
  }
  return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *passes = malloc(size + 1), *spelling = NULL, *again = NULL;
  coro_module *module = NULL;
  coro_diags *diags = NULL;
  fuzz_expect(passes && !coro_diags_create(&diags));
  if (size)
    memcpy(passes, data, size);
  passes[size] = '\0';
  coro_status status = coro_pipeline_check(passes, NULL, &spelling, diags);
  fuzz_expect(status ? status == CORO_EPIPELINE && coro_diags_count(diags) && !spelling : spelling != NULL);
  if (!status) {
    fuzz_expect(!coro_pipeline_check(spelling, NULL, &again, NULL) && !strcmp(spelling, again));
    fuzz_expect(!coro_module_parse(&module, coroutine, sizeof coroutine - 1, "input", NULL));
    if (is_ours_alone(passes))
      (void)coro_run(module, passes, NULL, NULL, NULL);
    fuzz_expect(!coro_module_verify(module, NULL));
    coro_module_free(module);
  }
  coro_string_free(spelling);
  coro_string_free(again);
  coro_diags_free(diags);
  free(passes);
  return 0;
}
