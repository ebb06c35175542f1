/* Calls every function of the library while the n-th of all its allocations fails, for every n: handles, reports,
   diagnostics, arenas of passes, the JIT. LLVM's allocations do not fail.
   Requires: a linker that replaces the library's malloc by __wrap_malloc; arguments may name files to lower. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "inputs.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

/* ---- An allocator that fails ---- */

static uint64_t until_failure; /* 0: none fails */

static bool refuses(void)
{
  return until_failure && --until_failure == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
  return refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return refuses() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
  return refuses() ? NULL : __real_realloc(old, size);
}

/* ---- Operations ---- */

static const char *const lowerings[] = {
    "coro-cache-frames,coro-early,cgscc(coro-split),coro-cleanup",
    "coro-infer-captures,coro-early,cgscc(coro-split<reuse-storage>,coro-annotation-elide),function(coro-elide,sroa),"
    "coro-cleanup",
};

struct subject {
  const char *text; /* the module's text */
  const char *passes;
  coro_module *module; /* the parsed text; NULL if it does not parse */
  coro_module *lowered;
  coro_engine *engine;
};

/* Runs one operation and frees its results. *diags gets the diagnostics; one that cannot be allocated is lost. */
typedef coro_status question(const struct subject *s, coro_diags *diags);

static coro_status ask_parse(const struct subject *s, coro_diags *diags)
{
  coro_module *module = (coro_module *)s->text;
  coro_status status = coro_module_parse(&module, s->text, strlen(s->text), "input", diags);
  CHECK(!status == !!module, "a module, or an error");
  coro_module_free(module);
  return status;
}

static coro_status ask_read_bitcode(const struct subject *s, coro_diags *diags)
{
  coro_module *module = NULL;
  char *bitcode = NULL;
  size_t size = 0;
  coro_status status = coro_module_bitcode(s->module, &bitcode, &size);
  CHECK(!status == !!bitcode, "bitcode, or an error");
  if (!status)
    status = coro_module_parse(&module, bitcode, size, "input", diags);
  CHECK(!status == !!module, "a module, or an error");
  coro_string_free(bitcode);
  coro_module_free(module);
  return status;
}

static coro_status ask_clone(const struct subject *s, coro_diags *diags)
{
  coro_module *module;
  coro_status status = coro_module_clone(&module, s->module, diags);
  CHECK(!status == !!module, "a module, or an error");
  coro_module_free(module);
  return status;
}

static coro_status ask_adopt(const struct subject *s, coro_diags *diags)
{
  (void)s;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef llvm = LLVMModuleCreateWithNameInContext("made", context);
  coro_module *module;
  coro_status status = coro_module_adopt(&module, llvm, diags);
  CHECK(!status == !!module, "a module, or an error");
  coro_module_free(module);
  if (status) {
    LLVMDisposeModule(llvm);
    LLVMContextDispose(context);
  }
  return status;
}

static coro_status ask_functions(const struct subject *s, coro_diags *diags)
{
  const coro_function_info *infos;
  size_t count;
  coro_module *module = NULL;
  coro_status status = coro_module_clone(&module, s->module, diags);
  if (!status)
    status = coro_module_functions(module, &infos, &count);
  if (!status)
    status = coro_module_function(module, LLVMGetFirstFunction(coro_module_llvm(module)), &infos);
  coro_module_free(module);
  return status;
}

static coro_status ask_explain(const struct subject *s, coro_diags *diags)
{
  coro_report *report;
  coro_status status = coro_explain(s->module, NULL, NULL, &report, diags);
  CHECK(!status == !!report, "a report, or an error");
  coro_report_free(report);
  return status;
}

static coro_status ask_explain_another(const struct subject *s, coro_diags *diags)
{
  coro_report *report;
  coro_status status = coro_explain(s->module, "not there", NULL, &report, diags);
  CHECK(!report, "an error");
  return status;
}

static coro_status ask_check(const struct subject *s, coro_diags *diags)
{
  char *spelling;
  coro_status status = coro_pipeline_check(s->passes, NULL, &spelling, diags);
  CHECK(!status == !!spelling, "a spelling, or an error");
  coro_string_free(spelling);
  return status;
}

/* Works on a copy that is made before allocations fail. */
static coro_status ask_run(const struct subject *s, coro_diags *diags)
{
  coro_module *module;
  coro_report *report;
  coro_options options = CORO_OPTIONS_INIT;
  char *before = NULL, *after = NULL;
  uint64_t wanted = until_failure;
  until_failure = 0;
  options.verify_each = true;
  CHECK(!coro_module_clone(&module, s->module, NULL) && !coro_module_print(module, &before), "a copy");
  until_failure = wanted;
  coro_status status = coro_run(module, s->passes, &options, &report, diags);
  wanted = until_failure;
  until_failure = 0;
  CHECK(!status == !!report, "a report, or an error");
  CHECK(!coro_module_print(module, &after), "print");
  CHECK(!status || !strcmp(before, after), "after an error the module is unchanged");
  CHECK(!status == !!coro_module_generation(module), "it has changed only if there is no error");
  coro_string_free(before);
  coro_string_free(after);
  coro_module_free(module);
  coro_report_free(report);
  until_failure = wanted;
  return status;
}

static coro_status ask_engine(const struct subject *s, coro_diags *diags)
{
  (void)s;
  coro_engine *engine;
  coro_status status = coro_engine_create(&engine, NULL, diags);
  CHECK(!status == !!engine, "an engine, or an error");
  coro_engine_free(engine);
  return status;
}

/* A module that is not lowered is rejected. */
static coro_status ask_refusal(const struct subject *s, coro_diags *diags)
{
  return coro_engine_add(s->engine, s->module, diags);
}

static void ignore(void *user, const char *name)
{
  (void)user;
  (void)name;
}

static int nowhere;

static void define(void *engine, const char *name)
{
  CHECK(!coro_engine_define(engine, name, &nowhere, NULL), "%s", name);
}

/* Adds to a separate engine, which binds all undefined symbols. */
static coro_status ask_add(const struct subject *s, coro_diags *diags)
{
  coro_engine *engine;
  void *address;
  uint64_t wanted = until_failure;
  until_failure = 0;
  CHECK(!coro_engine_create(&engine, NULL, NULL), "an engine");
  CHECK(!coro_engine_undefined_symbols(engine, s->lowered, define, engine), "bind");
  until_failure = wanted;
  coro_status status = coro_engine_add(engine, s->lowered, diags);
  if (!status)
    status = coro_engine_undefined_symbols(engine, s->lowered, ignore, NULL);
  if (!status && coro_engine_lookup(engine, "there is none", &address, diags) != CORO_EJIT)
    status = CORO_EBUG;
  coro_engine_free(engine);
  return status;
}

/* A coroutine with an allocated frame, a continuation, an exception, and a partly written alloca. */
static const char interpreted[] =
    "@room = global [64 x i8] zeroinitializer, align 16\n@numbers = global [3 x i16] [i16 1, i16 2, i16 3]\n"
    "@_ZTIi = external constant ptr\ndeclare ptr @__cxa_allocate_exception(i64)\n"
    "declare void @__cxa_throw(ptr, ptr, ptr)\ndeclare i32 @personality(...)\n"
    "define ptr @c() presplitcoroutine {\n %v = alloca [100 x i32]\n %p = alloca i32\n"
    " %id = call token @llvm.coro.id(i32 0, ptr %p, ptr null, ptr null)\n"
    " %h = call ptr @llvm.coro.begin(token %id, ptr @room)\n store i32 4, ptr %v\n"
    " %s = call i8 @llvm.coro.suspend(token none, i1 false)\n switch i8 %s, label %out [i8 0, label %go\n"
    " i8 1, label %out]\ngo:\n %x = load i32, ptr %v\n store i32 %x, ptr %p\n br label %out\nout:\n"
    " call void @llvm.coro.end(ptr %h, i1 false, token none)\n ret ptr %h\n}\n"
    "define { ptr, i32 } @g(ptr %b) presplitcoroutine {\n"
    " %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %b, ptr @g, ptr @g, ptr @g)\n"
    " %h = call ptr @llvm.coro.begin(token %id, ptr null)\n"
    " call void (...) @llvm.coro.suspend.retcon.isVoid(i32 1)\n"
    " call void @llvm.coro.end(ptr %h, i1 false, token none)\n unreachable\n}\n"
    "define void @raise() {\n %e = call ptr @__cxa_allocate_exception(i64 4)\n"
    " call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null)\n unreachable\n}\n"
    "define i64 @f() personality ptr @personality {\nentry:\n %h = call ptr @c()\n call void @llvm.coro.resume(ptr "
    "%h)\n"
    " %b = alloca [16 x i8], align 8\n %one = call { ptr, i32 } @g(ptr %b)\n"
    " %go = extractvalue { ptr, i32 } %one, 0\n %two = call { ptr, i32 } %go(ptr %b)\n"
    " %m = load i128, ptr @room\n invoke void @raise() to label %never unwind label %pad\nnever:\n ret i64 0\npad:\n"
    " %e = landingpad { ptr, i32 } catch ptr @_ZTIi\n %w = bitcast i64 77 to <2 x i32>\n"
    " %r = extractelement <2 x i32> %w, i32 0\n %z = zext i32 %r to i64\n ret i64 %z\n}\n";

static coro_status ask_interpret(const struct subject *s, coro_diags *diags)
{
  coro_interp *interp = NULL;
  void *code = NULL;
  coro_values results = {NULL, 0};
  coro_status status = coro_interp_create(&interp, s->module, NULL, diags);
  CHECK(!status == !!interp, "an interpreter, or an error");
  if (!status)
    status = coro_interp_address(interp, "f", &code, diags);
  if (!status)
    status = coro_interp_call(interp, code, (coro_values){NULL, 0}, &results, diags);
  CHECK(status || (results.count == 1 && results.items[0].words[0] == 77), "the right result, or an error");
  if (status && code) /* a second call fails as cleanly, or succeeds */
    (void)coro_interp_call(interp, code, (coro_values){NULL, 0}, &results, NULL);
  coro_interp_free(interp);
  return status;
}

/* ---- Every n ---- */

/* Counts the characters of all diagnostics. */
static size_t said(const coro_diags *diags)
{
  size_t sum = 0;
  for (size_t i = 0; i < coro_diags_count(diags); i++) {
    const coro_diag *d = coro_diags_get(diags, i);
    sum += strlen(d->rule) + strlen(d->function) + strlen(d->block) + strlen(d->instruction) + strlen(d->message) +
           strlen(d->hint) + 1;
  }
  return sum;
}

/* Runs once without failure, then with each allocation failed: the status is out of memory, or some diagnostics are
   lost. */
static void ask(const char *name, question *what, const struct subject *s)
{
  coro_diags *diags;
  CHECK(!coro_diags_create(&diags), "diags");
  coro_status expected = what(s, diags);
  size_t full = said(diags);
  CHECK(expected != CORO_ENOMEM && expected != CORO_EBUG, "%s: status %d", name, expected);
  CHECK(!expected || full, "%s: an error has a diagnostic", name);
  coro_diags_free(diags);
  for (uint64_t n = 1, left = 0; !left; n++) {
    CHECK(!coro_diags_create(&diags), "diags");
    until_failure = n;
    coro_status status = what(s, diags);
    left = until_failure; /* not 0: there are fewer than n */
    until_failure = 0;
    bool same = status == expected && (left ? said(diags) == full : said(diags) != full);
    CHECK(same || (status == CORO_ENOMEM && !left), "%s, allocation %u: status %d, not %d", name, (unsigned)n, status,
          left ? expected : CORO_ENOMEM);
    coro_diags_free(diags);
  }
}

static void prepare(struct subject *s)
{
  coro_report *report = NULL;
  CHECK(!coro_module_parse(&s->module, s->text, strlen(s->text), "input", NULL), "parse");
  CHECK(!coro_module_clone(&s->lowered, s->module, NULL), "clone");
  CHECK(!coro_engine_create(&s->engine, NULL, NULL), "an engine");
  (void)coro_run(s->lowered, lowerings[0], NULL, &report, NULL);
  coro_report_free(report);
}

static void release(struct subject *s)
{
  coro_module_free(s->module);
  coro_module_free(s->lowered);
  coro_engine_free(s->engine);
}

/* Tests a module that parses: it is lowered, or rejected by a pass. */
static void ask_all(const char *name, const char *text)
{
  static question *const questions[] = {ask_parse,   ask_read_bitcode,    ask_clone,   ask_functions,
                                        ask_explain, ask_explain_another, ask_refusal, ask_add};
  struct subject s = {.text = text, .passes = lowerings[0]};
  prepare(&s);
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
    ask(name, questions[i], &s);
  for (size_t i = 0; i < sizeof lowerings / sizeof *lowerings; i++) {
    s.passes = lowerings[i];
    ask(name, ask_run, &s);
  }
  release(&s);
}

/* Tests a module that every pass rejects with a diagnostic. */
static void ask_refused(void)
{
  struct subject s = {.text = "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare i1 @llvm.coro.alloc(token)\n"
                              "define i1 @f() presplitcoroutine {\n"
                              "  %1 = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
                              "  %2 = call i1 @llvm.coro.alloc(token %1)\n  ret i1 %2\n}\n",
                      .passes = lowerings[0]};
  prepare(&s);
  ask("refused", ask_run, &s);
  ask("refused", ask_explain, &s);
  release(&s);
}

static void ask_interpreter(void)
{
  struct subject s = {.text = interpreted, .passes = lowerings[0]};
  CHECK(!coro_module_parse(&s.module, s.text, strlen(s.text), "input", NULL), "parse");
  ask("interpreter", ask_interpret, &s);
  coro_module_free(s.module);
}

static void ask_without_input(void)
{
  static const char *const strings[] = {lowerings[0],
                                        lowerings[1],
                                        "coro-cond(coro-early,globaldce)",
                                        "",
                                        "coro-early(sroa)",
                                        "coro-splat",
                                        "function(coro-early)",
                                        "coro-split<wrong>",
                                        "sroa,nothing"};
  static const char *const broken[] = {
      "define void @f() {\n  nothing\n}\n",
      "define i32 @f(i32 %x) {\n  %y = add i32 %y, %x\n  ret i32 %y\n}\n",
      "declare i1 @llvm.coro.done(ptr)\ndefine i1 @f() {\n  %d = call i1 @llvm.coro.done(i32 0)\n  ret i1 %d\n}\n",
      "BC\xc0\xde",
  };
  struct subject s = {0};
  ask("adopt", ask_adopt, &s);
  ask("engine", ask_engine, &s);
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
    s.passes = strings[i];
    ask(s.passes, ask_check, &s);
  }
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    s.text = broken[i];
    ask(s.text, ask_parse, &s);
  }
}

int main(int argc, char **argv)
{
  static const char *const files[] = {
      "ir/switch/dynamic-alloca.ll",
      "ir/switch/aliases-before-begin.ll",
      "ir/switch/symmetric-transfer.ll",
      "ir/async/handing-over.ll",
      "ir/dynamic/type-id.ll",
      "ir/debug/variables.ll",
      "ir/elide/heap.ll",
      "ir/elide/rarely.ll",
      "ir/early/handle.ll",
      "ir/cache-frames/new-and-delete.ll",
  };
  char **given = argc > 1 ? argv + 1 : (char **)files;
  int count = argc > 1 ? argc - 1 : (int)(sizeof files / sizeof *files);
  for (int i = 0; i < count; i++) {
    char *text = input_read(given[i]);
    ask_all(given[i], text);
    free(text);
  }
  if (argc == 1) {
    ask_refused();
    ask_interpreter();
    ask_without_input();
  }
  return check_done("out_of_memory");
}
