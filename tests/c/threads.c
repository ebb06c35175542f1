/* Many threads with separate objects get the results of a single thread. With -DPYCORO_SANITIZE=thread it searches for
   races in the engine.
   Requires: the whole library, POSIX threads. */
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "inputs.h"
#include "pycoro.h"

enum { THREADS = 8, ROUNDS = 2 };

static const char *const files[] = {"ir/switch/several-suspends.ll", "ir/debug/variables.ll", "ir/elide/heap.ll",
                                    "ir/switch/dynamic-alloca.ll"};
enum { FILES = sizeof files / sizeof *files };

static const char passes[] =
    "coro-early,cgscc(coro-split,coro-annotation-elide),function(coro-elide,sroa),coro-cleanup";

struct work { /* one thread's; the main thread reads it after the thread ended */
  char *const *texts;
  char *made[FILES];
  unsigned fields, compiled, failures;
};

static int nowhere;

static void define(void *engine, const char *name)
{
  (void)coro_engine_define(engine, name, &nowhere, NULL);
}

static void compile(struct work *w, const coro_module *module)
{
  coro_engine *engine;
  if (coro_engine_create(&engine, NULL, NULL) || coro_engine_undefined_symbols(engine, module, define, engine) ||
      coro_engine_add(engine, module, NULL))
    w->failures++;
  else
    w->compiled++;
  coro_engine_free(engine);
}

static void lower(struct work *w, unsigned file)
{
  coro_module *module = NULL, *copy = NULL;
  coro_report *report = NULL;
  coro_diags *diags = NULL;
  const char *text = w->texts[file];
  w->failures += coro_diags_create(&diags) || coro_module_parse(&module, text, strlen(text), "input", diags) ||
                 coro_explain(module, NULL, NULL, &report, diags);
  coro_report_free(report);
  w->failures += coro_module_clone(&copy, module, diags) || coro_run(copy, passes, NULL, &report, diags);
  for (size_t c = 0; report && c < coro_report_coroutine_count(report); c++)
    w->fields += (unsigned)coro_report_coroutine(report, c)->field_count;
  w->failures += coro_pipeline_check("no-such-pass", NULL, NULL, diags) != CORO_EPIPELINE;
  coro_string_free(w->made[file]);
  w->made[file] = NULL;
  w->failures += coro_module_print(copy, &w->made[file]) != CORO_OK;
  compile(w, copy);
  coro_report_free(report);
  coro_module_free(copy);
  coro_module_free(module);
  coro_diags_free(diags);
}

static void *run(void *work)
{
  for (unsigned round = 0; round < ROUNDS; round++)
    for (unsigned file = 0; file < FILES; file++)
      lower(work, file);
  return NULL;
}

int main(void)
{
  char *texts[FILES];
  for (unsigned file = 0; file < FILES; file++)
    texts[file] = input_read(files[file]);
  struct work alone = {.texts = texts}, works[THREADS] = {{.texts = NULL}};
  run(&alone);
  CHECK(!alone.failures && alone.fields && alone.compiled == ROUNDS * FILES, "%u failures", alone.failures);
  pthread_t threads[THREADS];
  for (unsigned t = 0; t < THREADS; t++) {
    works[t].texts = texts;
    CHECK(!pthread_create(&threads[t], NULL, run, &works[t]), "thread %u", t);
  }
  for (unsigned t = 0; t < THREADS; t++) {
    CHECK(!pthread_join(threads[t], NULL), "thread %u", t);
    CHECK(!works[t].failures && works[t].fields == alone.fields && works[t].compiled == alone.compiled, "thread %u", t);
    for (unsigned file = 0; file < FILES; file++) {
      CHECK(works[t].made[file] && !strcmp(works[t].made[file], alone.made[file]), "%s, thread %u", files[file], t);
      coro_string_free(works[t].made[file]);
    }
  }
  for (unsigned file = 0; file < FILES; file++) {
    coro_string_free(alone.made[file]);
    free(texts[file]);
  }
  return check_done("threads");
}
