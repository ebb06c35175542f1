/* The JIT without Python: compilation, binding, handles, constructors, and every error with its diagnostic.
   Requires: csrc/base, csrc/ir, csrc/jit. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "check.h"
#include "jit/jit.h"
#include "llvm-c/Core.h"
#include "llvm-c/IRReader.h"

static const char arithmetic[] = "define i32 @twice(i32 %x) {\n %y = shl i32 %x, 1\n ret i32 %y\n}\n"
                                 "define internal i32 @hidden(i32 %x) {\n ret i32 %x\n}\n";
static const char calls_out[] = "declare i32 @ask(i32)\ndeclare i32 @abs(i32)\n@place = external global i32\n"
                                "define i32 @asks(i32 %x) {\n %y = call i32 @ask(i32 %x)\n %z = call i32 @abs(i32 %y)\n"
                                " %p = load i32, ptr @place\n %s = add i32 %z, %p\n ret i32 %s\n}\n";
/* A lowered coroutine: slots 0 and 1 of the frame are fastcc functions. */
static const char frame[] = "@log = global i32 0\n@frame = global { ptr, ptr } { ptr @f.resume, ptr @f.destroy }\n"
                            "define internal fastcc void @f.resume(ptr %f) {\n %v = load i32, ptr @log\n"
                            " %w = add i32 %v, 1\n store i32 %w, ptr @log\n store ptr null, ptr %f\n ret void\n}\n"
                            "define internal fastcc void @f.destroy(ptr %f) {\n store i32 77, ptr @log\n ret void\n}\n";
static const char structors[] =
    "@ran = global i32 0\n@mirror = external global i32\n"
    "@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 9, ptr @late, ptr null }, "
    "{ i32, ptr, ptr } { i32 1, ptr @early, ptr null }, { i32, ptr, ptr } { i32 1, ptr null, ptr null }]\n"
    "@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @end, ptr null }]\n"
    "define internal void @early() {\n store i32 5, ptr @ran\n ret void\n}\n"
    "define internal void @late() {\n %v = load i32, ptr @ran\n %w = mul i32 %v, 10\n store i32 %w, ptr @ran\n"
    " ret void\n}\n"
    "define internal void @end() {\n store i32 -1, ptr @mirror\n ret void\n}\n";

static LLVMModuleRef parse(LLVMContextRef context, const char *text)
{
  char *message = NULL;
  LLVMModuleRef module = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test.ll");
  CHECK(!LLVMParseIRInContext2(context, buffer, &module, &message), "%s", message);
  LLVMDisposeMemoryBuffer(buffer);
  LLVMDisposeMessage(message);
  return module;
}

static coro_status add_by(coro_status (*adds)(struct jit *, LLVMModuleRef, coro_diags *), struct jit *jit,
                          const char *text, coro_diags *diags)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = parse(context, text);
  char *before = LLVMPrintModuleToString(module);
  coro_status status = adds(jit, module, diags);
  char *after = LLVMPrintModuleToString(module);
  CHECK(!strcmp(before, after), "the client's module is unchanged");
  LLVMDisposeMessage(before);
  LLVMDisposeMessage(after);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return status;
}

static coro_status add(struct jit *jit, const char *text, coro_diags *diags)
{
  return add_by(jit_add, jit, text, diags);
}

static void *find(struct jit *jit, const char *name)
{
  void *address = NULL;
  CHECK(!jit_lookup_symbol(jit, name, &address, NULL), "%s", name);
  return address;
}

static int32_t call(struct jit *jit, const char *name, int32_t argument)
{
  int32_t (*function)(int32_t) = (int32_t (*)(int32_t))(uintptr_t)find(jit, name);
  return function ? function(argument) : -1;
}

static int32_t asked;

static int32_t ask(int32_t x)
{
  asked = x;
  return -x;
}

static void test_calls(coro_diags *diags)
{
  struct jit *jit = NULL;
  int32_t place = 1000;
  CHECK(!jit_create(&jit, false, diags), "create");
  CHECK(!jit_define_symbol(jit, "ask", (void *)(uintptr_t)ask, diags), "define a function");
  CHECK(!jit_define_symbol(jit, "place", &place, diags), "define a variable");
  CHECK(!add(jit, arithmetic, diags) && !add(jit, calls_out, diags), "two modules in one engine");
  CHECK(call(jit, "twice", 21) == 42, "twice");
  CHECK(call(jit, "asks", 7) == 1007 && asked == 7, "symbols are found in definitions, then in the process");
  CHECK(coro_diags_count(diags) == 0, "%s", coro_diags_get(diags, 0)->message);
  void *address;
  CHECK(jit_lookup_symbol(jit, "hidden", &address, diags) == CORO_EJIT, "internal functions are not found");
  CHECK(jit_lookup_symbol(jit, "nobody", &address, diags) == CORO_EJIT, "nor are missing ones");
  jit_free(jit);
}

static void test_handle(coro_diags *diags)
{
  struct jit *jit = NULL;
  CHECK(!jit_create(&jit, false, diags) && !add(jit, frame, diags), "add");
  int32_t *log = find(jit, "log");
  void **handle = find(jit, "frame");
  jit_resume(jit, handle);
  CHECK(*log == 1 && !handle[0], "resumed");
  jit_destroy(jit, handle);
  CHECK(*log == 77, "destroyed");
  jit_free(jit);
}

static void test_structors(coro_diags *diags)
{
  struct jit *jit = NULL;
  int32_t mirror = 0;
  CHECK(!jit_create(&jit, false, diags) && !jit_define_symbol(jit, "mirror", &mirror, diags), "create");
  CHECK(!add(jit, structors, diags), "add");
  CHECK(*(int32_t *)find(jit, "ran") == 0, "constructors wait");
  jit_run_constructors(jit);
  jit_run_constructors(jit);
  CHECK(*(int32_t *)find(jit, "ran") == 50, "constructors run in order of priority");
  CHECK(mirror == 0, "destructors wait");
  jit_free(jit);
  CHECK(mirror == -1, "and run at the end");
  mirror = 0;
  CHECK(!jit_create(&jit, false, diags) && !jit_define_symbol(jit, "mirror", &mirror, diags), "create");
  CHECK(!add(jit, structors, diags), "add");
  jit_free(jit);
  CHECK(mirror == 0, "objects that were never constructed are not destroyed");
}

/* Code compiled in a child process runs the same, and the engine survives a crash of the child. */
static void test_guarded(coro_diags *diags)
{
  static const char deadly[] = "define void @f() gc \"nobody's\" {\n ret void\n}\n";
  static const char broken[] = "module asm \"no such thing\"\n";
  struct jit *jit = NULL;
  int32_t place = 1000, mirror = 0;
  coro_diags_clear(diags);
  CHECK(!jit_create(&jit, true, diags) && !jit_define_symbol(jit, "ask", (void *)(uintptr_t)ask, diags), "create");
  CHECK(!jit_define_symbol(jit, "place", &place, diags) && !jit_define_symbol(jit, "mirror", &mirror, diags), "define");
  CHECK(add_by(jit_add_sandboxed, jit, deadly, diags) == CORO_EJIT, "it is rejected");
  CHECK(strstr(coro_diags_get(diags, 0)->message, "unsupported GC"), "%s", coro_diags_get(diags, 0)->message);
  coro_diags_clear(diags);
  CHECK(add_by(jit_add_sandboxed, jit, broken, diags) == CORO_EJIT, "the assembler rejects it");
  CHECK(!strcmp(coro_diags_get(diags, 0)->rule, "jit"), "%s", coro_diags_get(diags, 0)->message);
  coro_diags_clear(diags);
  CHECK(!add_by(jit_add_sandboxed, jit, calls_out, diags) && !add_by(jit_add_sandboxed, jit, structors, diags), "%s",
        coro_diags_count(diags) ? coro_diags_get(diags, 0)->message : "");
  CHECK(call(jit, "asks", 7) == 1007 && asked == 7, "its references are resolved");
  jit_run_constructors(jit);
  CHECK(*(int32_t *)find(jit, "ran") == 50, "constructors run here");
  jit_free(jit);
  CHECK(mirror == -1, "and destructors");
}

/* A C++ global object: a constructor registers its destructor, in the order of construction. */
static void test_atexit(coro_diags *diags)
{
  static const char text[] = "@mirror = external global i32\ndeclare i32 @__cxa_atexit(ptr, ptr, ptr)\n@__dso_handle = "
                             "external hidden global i8\n"
                             "define internal void @gone(ptr %p) {\n %v = load i32, ptr @mirror\n %w = mul i32 %v, 10\n"
                             " %x = load i32, ptr %p\n %y = add i32 %w, %x\n store i32 %y, ptr @mirror\n ret void\n}\n"
                             "@one = internal global i32 1\n@two = internal global i32 2\n"
                             "define void @register() {\n"
                             " %a = call i32 @__cxa_atexit(ptr @gone, ptr @one, ptr @__dso_handle)\n"
                             " %b = call i32 @__cxa_atexit(ptr @gone, ptr @two, ptr @__dso_handle)\n ret void\n}\n"
                             "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } "
                             "{ i32 1, ptr @register, ptr null }]\n";
  struct jit *jit = NULL;
  int32_t mirror = 0;
  coro_diags_clear(diags);
  CHECK(!jit_create(&jit, false, diags) && !jit_define_symbol(jit, "mirror", &mirror, diags), "create");
  CHECK(!add(jit, text, diags), "%s", coro_diags_get(diags, 0)->message);
  jit_run_constructors(jit);
  CHECK(mirror == 0, "nothing is gone yet");
  jit_free(jit);
  CHECK(mirror == 21, "destroyed in reverse order of creation: %d", (int)mirror);
}

static void refuse(const char *text, coro_status wanted, const char *rule, const char *word, coro_diags *diags)
{
  struct jit *jit = NULL;
  coro_diags_clear(diags);
  CHECK(!jit_create(&jit, false, diags), "create");
  coro_status status = add(jit, text, diags);
  const coro_diag *diag = coro_diags_get(diags, 0);
  CHECK(status == wanted && diag && diag->status == wanted, "%s: status %d", rule, (int)status);
  CHECK(diag && !strcmp(diag->rule, rule) && strstr(diag->message, word) && *diag->hint, "%s: %s", rule,
        diag ? diag->message : "");
  CHECK(!add(jit, arithmetic, diags) && call(jit, "twice", 4) == 8, "%s: the engine still works", rule);
  jit_free(jit);
}

static void test_refusals(coro_diags *diags)
{
  refuse("declare ptr @llvm.coro.noop()\ndefine ptr @g() {\n br label %1\n1:\n %n = call ptr @llvm.coro.noop()\n ret "
         "ptr %n\n}\n",
         CORO_EREJECTED, "lowered-before-compiled", "llvm.coro.noop", diags);
  const coro_diag *diag = coro_diags_get(diags, 0);
  CHECK(!strcmp(diag->function, "g") && !strcmp(diag->block, "%1") && strstr(diag->instruction, "%n = call"),
        "%s %s %s", diag->function, diag->block, diag->instruction);
  refuse("declare i32 @nobody(i32)\ndeclare void @unused()\ndefine i32 @g() {\n %n = call i32 @nobody(i32 1)\n"
         " ret i32 %n\n}\n",
         CORO_EJIT, "defined-somewhere", "@nobody", diags);
  CHECK(coro_diags_count(diags) == 1, "one missing function, one diagnostic");
  refuse("target triple = \"sparc-unknown-none\"\ndefine void @g() {\n ret void\n}\n", CORO_EJIT, "same-machine",
         "sparc", diags);
  refuse("target datalayout = \"E-p:32:32\"\ndefine void @g() {\n ret void\n}\n", CORO_EJIT, "same-machine",
         "E-p:32:32", diags);
  refuse("define void @g() {\n call void @llvm.nvvm.barrier0()\n ret void\n}\ndeclare void @llvm.nvvm.barrier0()\n"
         "define void @h() {\n call void @llvm.hexagon.Y2.dccleana(ptr null)\n ret void\n}\n"
         "declare void @llvm.hexagon.Y2.dccleana(ptr)\n",
         CORO_EJIT, "same-machine", "llvm.", diags);
  refuse(
      "@t = external thread_local global i32\ndefine ptr @g() {\n %p = call ptr @llvm.threadlocal.address.p0(ptr @t)\n"
      " ret ptr %p\n}\ndeclare ptr @llvm.threadlocal.address.p0(ptr)\n",
      CORO_EJIT, "no-thread-local", "@t", diags);
  refuse("declare i32 @abs(i32)\ndefine i32 @g() {\n %n = call i32 @abs(i32 1) [ \"note\"(i32 3) ]\n ret i32 %n\n}\n",
         CORO_EJIT, "known-bundles", "operand bundle", diags);
  refuse("define void @g() {\n call void asm sideeffect \"no such instruction\", \"\"()\n ret void\n}\n", CORO_EJIT,
         "jit", "no such instruction", diags);
}

static void test_clash(coro_diags *diags)
{
  struct jit *jit = NULL;
  coro_diags_clear(diags);
  CHECK(!jit_create(&jit, false, diags) && !add(jit, arithmetic, diags), "create");
  CHECK(add(jit, arithmetic, diags) == CORO_EJIT, "a second definition");
  CHECK(strstr(coro_diags_get(diags, 0)->message, "twice"), "%s", coro_diags_get(diags, 0)->message);
  CHECK(jit_define_symbol(jit, "twice", jit, diags) == CORO_EJIT, "a second binding");
  CHECK(call(jit, "twice", 3) == 6, "the first one stays");
  jit_free(jit);
}

int main(void)
{
  coro_diags *diags = NULL;
  CHECK(!coro_diags_create(&diags), "diagnostics");
  test_calls(diags);
  test_handle(diags);
  test_structors(diags);
  test_guarded(diags);
  test_atexit(diags);
  test_refusals(diags);
  test_clash(diags);
  coro_diags_free(diags);
  return check_done("jit_engine");
}
