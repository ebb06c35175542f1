/* The interpreter without Python: results of instructions, undefined behavior, coroutines, exceptions, limits.
   Requires: the public API. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pycoro.h"

static const char layout[] =
    "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n";

struct host { /* the program's output, and its interpreter */
  char said[512];
  coro_interp *interp;
  void *memory; /* the last allocation, until it is freed */
};

static void say(struct host *host, const coro_external *call)
{
  size_t used = strlen(host->said);
  snprintf(host->said + used, sizeof host->said - used, "%lld ", (long long)(int32_t)call->args[0].words[0]);
}

static int external(void *user, coro_external *call)
{
  struct host *host = user;
  if (!strcmp(call->name, "say")) {
    say(host, call);
  } else if (!strcmp(call->name, "malloc")) {
    host->memory = malloc(call->args[0].words[0]);
    call->result.words[0] = (uintptr_t)host->memory;
  } else if (!strcmp(call->name, "free")) {
    free(host->memory);
    host->memory = NULL;
  } else if (!strcmp(call->name, "throws")) {
    call->thrown = true;
    call->exception = &host->said;
  } else if (!strcmp(call->name, "again")) { /* reentrant call */
    return coro_interp_resume(host->interp, (void *)(uintptr_t)call->args[0].words[0], NULL) != CORO_OK;
  } else if (!strcmp(call->name, "fails")) {
    return 1;
  } else {
    return CORO_EXTERNAL_UNKNOWN;
  }
  return 0;
}

static coro_module *parse(const char *text, coro_diags *diags)
{
  char *whole = malloc(strlen(text) + sizeof layout);
  coro_module *module = NULL;
  strcpy(whole, layout);
  strcat(whole, text);
  CHECK(!coro_module_parse(&module, whole, strlen(whole), "test.ll", diags), "%s: %s", text,
        coro_diags_count(diags) ? coro_diags_get(diags, 0)->message : "");
  free(whole);
  return module;
}

/* Calls @f() of the module; returns the status, output and result. */
static coro_status run(const char *text, struct host *host, coro_value *result, coro_diags *diags)
{
  coro_interp_options options = CORO_INTERP_OPTIONS_INIT;
  coro_module *module = parse(text, diags);
  coro_values results = {NULL, 0};
  void *code = NULL;
  options.external = external;
  options.user = host;
  options.steps = 100000;
  coro_status status = coro_interp_create(&host->interp, module, &options, diags);
  if (!status)
    status = coro_interp_address(host->interp, "f", &code, diags);
  if (!status)
    status = coro_interp_call(host->interp, code, (coro_values){NULL, 0}, &results, diags);
  *result = (coro_value){.defined = false};
  if (!status && results.count)
    *result = results.items[0];
  coro_interp_free(host->interp);
  coro_module_free(module);
  return status;
}

/* ---- Results ---- */

static const struct {
  const char *body; /* of `define i64 @f()` */
  int64_t value;
} computed[] = {
    {"%a = add i7 100, 50\n %r = zext i7 %a to i64\n ret i64 %r", 22},
    {"%a = mul i128 18446744073709551616, 3\n %b = lshr i128 %a, 63\n %r = trunc i128 %b to i64\n ret i64 %r", 6},
    {"%a = sdiv i8 -128, 3\n %r = sext i8 %a to i64\n ret i64 %r", -42},
    {"%a = srem i32 -7, 3\n %r = sext i32 %a to i64\n ret i64 %r", -1},
    {"%a = ashr i16 -32768, 15\n %r = sext i16 %a to i64\n ret i64 %r", -1},
    {"%a = icmp slt i128 -1, 0\n %r = select i1 %a, i64 5, i64 6\n ret i64 %r", 5},
    {"%a = and i64 undef, 0\n ret i64 %a", 0},
    {"%a = or <2 x i32> <i32 1, i32 2>, <i32 4, i32 8>\n %b = extractelement <2 x i32> %a, i32 1\n"
     " %r = zext i32 %b to i64\n ret i64 %r",
     10},
    {"%a = shufflevector <2 x i64> <i64 1, i64 2>, <2 x i64> <i64 3, i64 4>, <3 x i32> <i32 3, i32 0, i32 2>\n"
     " %r = extractelement <3 x i64> %a, i32 0\n ret i64 %r",
     4},
    {"%a = bitcast <4 x i1> <i1 1, i1 0, i1 1, i1 1> to i4\n %r = zext i4 %a to i64\n ret i64 %r", 13},
    {"%a = bitcast <2 x i32> <i32 1, i32 2> to i64\n ret i64 %a", 0x200000001},
    {"%a = bitcast double 1.5 to i64\n ret i64 %a", 0x3ff8000000000000},
    {"%a = fadd float 0x3FB99999A0000000, 0x3FC99999A0000000\n %b = bitcast float %a to i32\n"
     " %r = zext i32 %b to i64\n ret i64 %r",
     0x3e99999a},
    {"%a = fptosi double -7.9 to i8\n %r = sext i8 %a to i64\n ret i64 %r", -7},
    {"%a = uitofp i64 -1 to double\n %b = fcmp oeq double %a, 0x43F0000000000000\n %r = zext i1 %b to i64\n ret i64 %r",
     1},
    {"%a = insertvalue {i8, [2 x i64]} poison, i64 9, 1, 1\n %r = extractvalue {i8, [2 x i64]} %a, 1, 1\n ret i64 %r",
     9},
    {"%p = alloca {i8, i32, [3 x i64]}\n %q = getelementptr {i8, i32, [3 x i64]}, ptr %p, i64 0, i32 2, i64 2\n"
     " store i64 77, ptr %q\n %o = getelementptr i8, ptr %p, i64 24\n %r = load i64, ptr %o\n ret i64 %r",
     77},
    {"%p = alloca [4 x i8]\n call void @llvm.memset.p0.i64(ptr %p, i8 3, i64 4, i1 false)\n %a = load i32, ptr %p\n"
     " %r = zext i32 %a to i64\n ret i64 %r",
     0x03030303},
    {"%p = alloca i24\n store i24 -2, ptr %p\n %a = load i24, ptr %p\n %r = sext i24 %a to i64\n ret i64 %r", -2},
    {"%p = load i64, ptr getelementptr (i64, ptr @numbers, i64 2)\n ret i64 %p", 30},
    {"%g = load ptr, ptr @table\n %r = call i64 %g(i64 4)\n ret i64 %r", 24},
    {"%r = call i64 @factorial(i64 10)\n ret i64 %r", 3628800},
    {"%a = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 2147483647, i32 1)\n %b = extractvalue {i32, i1} %a, 1\n"
     " %r = zext i1 %b to i64\n ret i64 %r",
     1},
    {"%a = call i32 @llvm.fshl.i32(i32 1, i32 -2147483648, i32 1)\n %r = zext i32 %a to i64\n ret i64 %r", 3},
    {"%a = call i16 @llvm.bswap.i16(i16 258)\n %b = call i16 @llvm.ctlz.i16(i16 %a, i1 false)\n"
     " %r = zext i16 %b to i64\n ret i64 %r",
     6},
    {"%p = alloca i32\n store i32 5, ptr %p\n %a = atomicrmw max ptr %p, i32 9 seq_cst\n"
     " %c = cmpxchg ptr %p, i32 9, i32 10 seq_cst seq_cst\n %b = load i32, ptr %p\n %r = zext i32 %b to i64\n ret i64 "
     "%r",
     10},
    {"br label %l\nl:\n %a = phi i64 [1, %0], [%b, %l]\n %b = phi i64 [2, %0], [%a, %l]\n"
     " %n = phi i64 [0, %0], [%m, %l]\n %m = add i64 %n, 1\n %c = icmp ult i64 %m, 4\n br i1 %c, label %l, label %e\n"
     "e:\n %r = mul i64 %a, 10\n %s = add i64 %r, %b\n ret i64 %s",
     21},
    {"switch i32 -3, label %d [i32 1, label %d\n i32 -3, label %x]\nd:\n ret i64 1\nx:\n ret i64 2", 2},
    {"%r = call i64 @catches()\n ret i64 %r", 1},
    {"%r = call i64 @passes_by_value()\n ret i64 %r", 41},
    {"%a = call float @llvm.fma.f32(float 0x3FF0010000000000, float 0x3FF0010000000000, float 0x3920000000000000)\n"
     " %b = bitcast float %a to i32\n %r = zext i32 %b to i64\n ret i64 %r",
     0x3f801001}, /* 1 + 2^-11 + 2^-24, and slightly more: no tie */
    {"%n = bitcast i32 -8388607 to float\n %a = call float @llvm.fabs.f32(float %n)\n %b = bitcast float %a to i32\n"
     " %r = zext i32 %b to i64\n ret i64 %r",
     0x7f800001}, /* a signaling NaN is preserved */
    {"%a = call half @llvm.copysign.f16(half 0xH3C00, half 0xH8000)\n %b = bitcast half %a to i16\n"
     " %r = zext i16 %b to i64\n ret i64 %r",
     0xbc00},
    {"%p = call ptr @calloc(i64 2, i64 8)\n %q = getelementptr i64, ptr %p, i64 1\n %r = load i64, ptr %q\n"
     " store i64 5, ptr %p\n %m = call ptr @realloc(ptr %p, i64 100)\n %s = load i64, ptr %m\n"
     " %t = add i64 %r, %s\n call void @free(ptr %m)\n ret i64 %t",
     5},
    {"%p = alloca ptr\n %a = call i32 @posix_memalign(ptr %p, i64 64, i64 8)\n %m = load ptr, ptr %p\n"
     " store i64 9, ptr %m\n %r = load i64, ptr %m\n %b = call i32 @posix_memalign(ptr %p, i64 3, i64 8)\n"
     " %c = zext i32 %b to i64\n %d = add i64 %r, %c\n %i = ptrtoint ptr %m to i64\n %l = urem i64 %i, 64\n"
     " %e = add i64 %d, %l\n ret i64 %e",
     9 + 22},
    {"%p = call ptr @aligned_alloc(i64 3, i64 8)\n %r = ptrtoint ptr %p to i64\n ret i64 %r", 0},
};

static const char around[] =
    "@numbers = private constant [3 x i64] [i64 10, i64 20, i64 30]\n@table = global [2 x ptr] [ptr @times6, ptr "
    "null]\n"
    "@_ZTIi = external constant ptr\n"
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\ndeclare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)\n"
    "declare i32 @llvm.fshl.i32(i32, i32, i32)\ndeclare i16 @llvm.bswap.i16(i16)\n"
    "declare i16 @llvm.ctlz.i16(i16, i1)\ndeclare void @say(i32)\ndeclare void @throws()\ndeclare i32 @nowhere()\n"
    "declare i32 @fails()\ndeclare i32 @personality(...)\ndeclare i32 @llvm.eh.typeid.for.p0(ptr)\n"
    "declare ptr @__cxa_allocate_exception(i64)\ndeclare void @__cxa_throw(ptr, ptr, ptr)\n"
    "declare ptr @__cxa_begin_catch(ptr)\ndeclare void @__cxa_end_catch()\n"
    "define i64 @times6(i64 %x) {\n %r = mul i64 %x, 6\n ret i64 %r\n}\n"
    "define i64 @factorial(i64 %n) {\n %c = icmp eq i64 %n, 0\n br i1 %c, label %z, label %s\nz:\n ret i64 1\ns:\n"
    " %m = sub i64 %n, 1\n %f = call i64 @factorial(i64 %m)\n %r = mul i64 %n, %f\n ret i64 %r\n}\n"
    "define internal void @raise() {\n %e = call ptr @__cxa_allocate_exception(i64 4)\n store i32 8, ptr %e\n"
    " call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null)\n unreachable\n}\n"
    "define internal void @cleans() personality ptr @personality {\n invoke void @raise() to label %n unwind label %u\n"
    "n:\n ret void\nu:\n %p = landingpad {ptr, i32} cleanup\n resume {ptr, i32} %p\n}\n"
    "define i64 @catches() personality ptr @personality {\n invoke void @cleans() to label %n unwind label %u\n"
    "n:\n ret i64 0\nu:\n %p = landingpad {ptr, i32} catch ptr @_ZTIi\n %e = extractvalue {ptr, i32} %p, 0\n"
    " %s = extractvalue {ptr, i32} %p, 1\n %id = call i32 @llvm.eh.typeid.for.p0(ptr @_ZTIi)\n"
    " %c = icmp eq i32 %s, %id\n %o = call ptr @__cxa_begin_catch(ptr %e)\n %v = load i32, ptr %o\n"
    " %eight = icmp eq i32 %v, 8\n %both = and i1 %c, %eight\n call void @__cxa_end_catch()\n"
    " %r = zext i1 %both to i64\n ret i64 %r\n}\n"
    "declare ptr @_Znwm(i64)\ndeclare ptr @_Znam(i64)\ndeclare void @_ZdlPv(ptr)\ndeclare void @_ZdlPvm(ptr, i64)\n"
    "declare void @free(ptr)\ndeclare ptr @calloc(i64, i64)\ndeclare ptr @realloc(ptr, i64)\ndeclare i32 "
    "@posix_memalign(ptr, i64, i64)\n"
    "declare ptr @aligned_alloc(i64, i64)\ndeclare float @llvm.fma.f32(float, float, float)\n"
    "declare float @llvm.fabs.f32(float)\ndeclare half @llvm.copysign.f16(half, half)\n"
    "define internal ptr @gone() {\n %p = alloca i64\n ret ptr %p\n}\n"
    "define internal void @changes(ptr byval(i64) %p) {\n store i64 1, ptr %p\n ret void\n}\n"
    "define i64 @passes_by_value() {\n %p = alloca i64\n store i64 41, ptr %p\n call void @changes(ptr byval(i64) %p)\n"
    " %r = load i64, ptr %p\n ret i64 %r\n}\n";

static void whole(char *text, size_t size, const char *body)
{
  snprintf(text, size, "%sdefine i64 @f() personality ptr @personality {\n %s\n}\n", around, body);
}

static void test_computed(coro_diags *diags)
{
  for (size_t i = 0; i < sizeof computed / sizeof *computed; i++) {
    static char text[8192];
    struct host host = {"", NULL, NULL};
    coro_value result;
    coro_diags_clear(diags);
    whole(text, sizeof text, computed[i].body);
    coro_status status = run(text, &host, &result, diags);
    CHECK(!status, "%s: %s", computed[i].body, coro_diags_count(diags) ? coro_diags_get(diags, 0)->message : "");
    CHECK(result.defined && (int64_t)result.words[0] == computed[i].value, "%s: %lld", computed[i].body,
          (long long)result.words[0]);
  }
}

/* ---- Errors ---- */

static const struct {
  const char *body;
  coro_status status;
  const char *rule;
} refused[] = {
    {"unreachable", CORO_EUNDEFINED, "unreachable"},
    {"%r = udiv i64 1, 0\n ret i64 %r", CORO_EUNDEFINED, "division"},
    {"%r = sdiv i64 -9223372036854775808, -1\n ret i64 %r", CORO_EUNDEFINED, "division"},
    {"%p = alloca i1\n %c = load i1, ptr %p\n br i1 %c, label %a, label %a\na:\n ret i64 0", CORO_EUNDEFINED, "undef"},
    {"%a = add nsw i32 2147483647, 1\n call void @say(i32 %a)\n ret i64 0", CORO_EUNDEFINED, "poison"},
    {"%a = shl i32 1, 32\n call void @say(i32 %a)\n ret i64 0", CORO_EUNDEFINED, "poison"},
    {"%a = trunc nuw i64 256 to i8\n %b = zext i8 %a to i32\n call void @say(i32 %b)\n ret i64 0", CORO_EUNDEFINED,
     "poison"},
    {"%a = freeze i32 poison\n call void @say(i32 %a)\n ret i64 0", CORO_EUNDEFINED, "undef"},
    {"%p = alloca i32\n call void @llvm.lifetime.end.p0(ptr %p)\n %a = load i32, ptr %p\n call void @say(i32 %a)\n"
     " ret i64 0\n}\ndeclare void @llvm.lifetime.end.p0(ptr)\ndefine void @g() {\n ret void",
     CORO_EUNDEFINED, "poison"},
    {"%r = load i64, ptr null\n ret i64 %r", CORO_EUNDEFINED, "no-memory-there"},
    {"%r = load i64, ptr inttoptr (i64 8192 to ptr)\n ret i64 %r", CORO_EUNDEFINED, "no-memory-there"},
    {"store i64 1, ptr inttoptr (i64 -8 to ptr)\n ret i64 1", CORO_EUNDEFINED, "no-memory-there"},
    {"%p = alloca i64\n %q = getelementptr i8, ptr %p, i64 1\n %r = load i64, ptr %q\n ret i64 %r", CORO_EUNDEFINED,
     "misaligned"},
    {"%p = alloca i64\n %q = getelementptr i64, ptr %p, i64 1\n store i64 0, ptr %q\n ret i64 0", CORO_EUNDEFINED,
     "out-of-bounds"},
    {"%r = load i64, ptr inttoptr (i64 -1 to ptr), align 1\n ret i64 %r", CORO_EUNDEFINED, "no-memory-there"},
    {"%p = alloca i64\n call void @llvm.memset.p0.i64(ptr %p, i8 3, i64 -1, i1 false)\n ret i64 0", CORO_EUNDEFINED,
     "out-of-bounds"},
    {"call void @llvm.memset.p0.i64(ptr @numbers, i8 3, i64 25, i1 false)\n ret i64 0", CORO_EUNDEFINED,
     "out-of-bounds"},
    {"%p = load i64, ptr @f, align 1\n ret i64 %p", CORO_EUNDEFINED, "no-memory-there"},
    {"%p = alloca [2305843009213693953 x i64]\n ret i64 0", CORO_EUNSUPPORTED, "unsupported"},
    {"%p = alloca {i64, [1152921504606846976 x i64]}, i32 2\n ret i64 0", CORO_EUNSUPPORTED, "unsupported"},
    {"%p = alloca [1099511627776 x i64], i32 33554432\n ret i64 0", CORO_ELIMIT, "variable-size"},
    {"%p = alloca [1099511627776 x i8], i32 -1\n ret i64 0", CORO_ELIMIT, "variable-size"},
    {"%p = alloca i64, align 4294967296\n ret i64 0", CORO_EUNSUPPORTED, "unsupported"},
    {"%p = call ptr @gone()\n store i64 1, ptr %p\n ret i64 0", CORO_EUNDEFINED, "used-after-free"},
    {"%p = call ptr @_Znwm(i64 8)\n %r = load i8, ptr getelementptr (i8, ptr @numbers, i64 -1)\n ret i64 0",
     CORO_EUNDEFINED, "out-of-bounds"},
    {"%p = call ptr @_Znwm(i64 8)\n call void @_ZdlPv(ptr %p)\n call void @_ZdlPv(ptr %p)\n ret i64 0", CORO_EUNDEFINED,
     "freed-twice"},
    {"%p = call ptr @_Znwm(i64 8)\n call void @_ZdlPv(ptr %p)\n %r = load i64, ptr %p\n ret i64 0", CORO_EUNDEFINED,
     "used-after-free"},
    {"%p = call ptr @_Znwm(i64 8)\n call void @_ZdlPvm(ptr %p, i64 16)\n ret i64 0", CORO_EUNDEFINED,
     "wrong-deallocator"},
    {"%p = call ptr @_Znam(i64 8)\n call void @_ZdlPv(ptr %p)\n ret i64 0", CORO_EUNDEFINED, "wrong-deallocator"},
    {"%p = alloca i64\n call void @_ZdlPv(ptr %p)\n ret i64 0", CORO_EUNDEFINED, "not-allocated"},
    {"call void @_ZdlPv(ptr @numbers)\n ret i64 0", CORO_EUNDEFINED, "not-allocated"},
    {"%p = call ptr @_Znwm(i64 -1)\n ret i64 0", CORO_ELIMIT, "variable-size"},
    {"%p = call i32 @_Znwm(i64 8)\n ret i64 0", CORO_EUNSUPPORTED, "no-definition"},
    {"call void @__cxa_throw()\n ret i64 0", CORO_EUNSUPPORTED, "no-definition"},
    {"%v = freeze { i8, [2305843009213693952 x i64] } poison\n ret i64 0", CORO_EUNSUPPORTED, "unsupported"},
    {"call void @throws()\n ret i64 0", CORO_EUNDEFINED, "uncaught-exception"},
    {"%r = call i64 inttoptr (i64 4096 to ptr)()\n ret i64 %r", CORO_EUNDEFINED, "no-function"},
    {"%a = call i32 @nowhere()\n ret i64 0", CORO_EUNSUPPORTED, "no-definition"},
    {"%a = call i32 @fails()\n ret i64 0", CORO_ECALLBACK, "callback"},
    {"call void asm sideeffect \"\", \"\"()\n ret i64 0", CORO_EUNSUPPORTED, "unsupported"},
    {"%a = fadd half 0xH3C00, 0xH3C00\n ret i64 0", CORO_EUNSUPPORTED, "unsupported-type"},
    {"%a = add i200 1, 1\n ret i64 0", CORO_EUNSUPPORTED, "unsupported"},
    {"%p = alloca i8, i64 99999999999\n ret i64 0", CORO_ELIMIT, "variable-size"},
    {"br label %l\nl:\n br label %l", CORO_ELIMIT, "step-limit"},
    {"%p = invoke i64 @f() to label %a unwind label %b\na:\n ret i64 0\nb:\n %c = cleanuppad within none []\n"
     " cleanupret from %c unwind to caller",
     CORO_ELIMIT, "step-limit"},
};

static void test_refused(coro_diags *diags)
{
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    static char text[8192];
    struct host host = {"", NULL, NULL};
    coro_value result;
    coro_diags_clear(diags);
    whole(text, sizeof text, refused[i].body);
    coro_status status = run(text, &host, &result, diags);
    const coro_diag *diag = coro_diags_get(diags, 0);
    CHECK(status == refused[i].status, "%s: %s", refused[i].body, coro_status_text(status));
    CHECK(diag && !strcmp(diag->rule, refused[i].rule), "%s: %s", refused[i].body, diag ? diag->rule : "no diagnostic");
  }
}

/* ---- Coroutines ---- */

static const char coroutine[] =
    "define ptr @f() presplitcoroutine {\nentry:\n %x = alloca i32, align 64\n %p = alloca i32\n"
    " store i32 40, ptr %p\n %early = getelementptr i8, ptr %p, i64 0\n"
    " %id = call token @llvm.coro.id(i32 0, ptr %p, ptr null, ptr null)\n %size = call i64 @llvm.coro.size.i64()\n"
    " %mem = call ptr @malloc(i64 %size)\n %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)\n store i32 1, ptr "
    "%x\n"
    " br label %loop\nloop:\n %n = phi i32 [0, %entry], [%next, %go]\n %next = add i32 %n, 1\n"
    " store i32 %next, ptr %early\n %s = call i8 @llvm.coro.suspend(token none, i1 false)\n"
    " switch i8 %s, label %out [i8 0, label %go\n i8 1, label %clean]\ngo:\n %v = load i32, ptr %x\n %w = mul i32 %v, "
    "3\n"
    " store i32 %w, ptr %x\n call void @say(i32 %w)\n %c = icmp ult i32 %next, 3\n br i1 %c, label %loop, label %end\n"
    "end:\n %t = call i8 @llvm.coro.suspend(token none, i1 true)\n"
    " switch i8 %t, label %out [i8 0, label %never\n i8 1, label %clean]\nnever:\n unreachable\n"
    "clean:\n call void @say(i32 -1)\n %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)\n call void @free(ptr "
    "%dead)\n"
    " br label %out\nout:\n call void @llvm.coro.end(ptr %hdl, i1 false, token none)\n ret ptr %hdl\n}\n"
    "declare ptr @malloc(i64)\ndeclare void @free(ptr)\ndeclare void @say(i32)\n";

static void test_coroutine(coro_diags *diags)
{
  struct host host = {"", NULL, NULL};
  coro_interp_options options = CORO_INTERP_OPTIONS_INIT;
  coro_module *module = parse(coroutine, diags);
  void *code = NULL;
  coro_values results = {NULL, 0};
  options.external = external;
  options.user = &host;
  CHECK(!coro_interp_create(&host.interp, module, &options, diags), "create");
  coro_module_free(module); /* the interpreter has a copy */
  CHECK(!coro_interp_address(host.interp, "f", &code, diags), "address");
  CHECK(!coro_interp_call(host.interp, code, (coro_values){NULL, 0}, &results, diags) && results.count == 1, "start");
  void **handle = (void **)(uintptr_t)results.items[0].words[0];
  const int32_t *promise = (const int32_t *)(const void *)(handle + 2);
  for (int i = 1; i <= 3; i++) {
    CHECK(handle[0] && *promise == i, "turn %d: %d", i, (int)*promise);
    CHECK(coro_interp_is_defined(host.interp, promise, 4), "the promise is written");
    CHECK(!coro_interp_resume(host.interp, handle, diags), "resume %d", i);
  }
  CHECK(!handle[0] && !strcmp(host.said, "3 9 27 "), "%s", host.said);
  CHECK(coro_interp_resume(host.interp, handle, diags) == CORO_EUNDEFINED, "it is done");
  CHECK(!strcmp(coro_diags_get(diags, 0)->rule, "resumed-when-done"), "%s", coro_diags_get(diags, 0)->rule);
  CHECK(!coro_interp_destroy(host.interp, handle, diags) && strstr(host.said, "-1"), "destroy");
  CHECK(!coro_interp_call(host.interp, code, (coro_values){NULL, 0}, &results, diags),
        "the code of another function is unchanged");
  free(host.memory);
  CHECK(coro_interp_steps(host.interp) > 40, "steps");
  coro_interp_free(host.interp);
}

/* Operations that the host starts resume the coroutine inside the call; invalid resumes are rejected. */
static void test_nesting(coro_diags *diags)
{
  static const char text[] =
      "define ptr @f() presplitcoroutine {\nentry:\n %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr "
      "null)\n"
      " %mem = call ptr @malloc(i64 64)\n %hdl = call ptr @llvm.coro.begin(token %id, ptr %mem)\n"
      " %save = call token @llvm.coro.save(ptr null)\n call void @again(ptr %hdl)\n call void @say(i32 2)\n"
      " %s = call i8 @llvm.coro.suspend(token %save, i1 false)\n"
      " switch i8 %s, label %out [i8 0, label %go\n i8 1, label %clean]\ngo:\n call void @say(i32 1)\n"
      " call void @again(ptr %hdl)\n br label %clean\nclean:\n"
      " %dead = call ptr @llvm.coro.free(token %id, ptr %hdl)\n call void @free(ptr %dead)\n"
      " br label %out\nout:\n call void @llvm.coro.end(ptr %hdl, i1 false, token none)\n ret ptr %hdl\n}\n"
      "declare ptr @malloc(i64)\ndeclare void @free(ptr)\ndeclare void @say(i32)\ndeclare void @again(ptr)\n";
  struct host host = {"", NULL, NULL};
  coro_value result;
  coro_diags_clear(diags);
  CHECK(run(text, &host, &result, diags) == CORO_ECALLBACK, "resuming what runs");
  CHECK(!strcmp(host.said, "1 "), "%s", host.said);
  free(host.memory);
}

/* Yields 4, 5, 6, and ends on request; the result is their sum. */
static const char retcon[] =
    "define { ptr, i32 } @g(ptr %b, i32 %n) presplitcoroutine {\nentry:\n"
    " %id = call token @llvm.coro.id.retcon(i32 16, i32 8, ptr %b, ptr @prototype, ptr @malloc, ptr @free)\n"
    " %h = call ptr @llvm.coro.begin(token %id, ptr null)\n br label %loop\nloop:\n"
    " %i = phi i32 [%n, %entry], [%next, %more]\n %stop = call i1 (...) @llvm.coro.suspend.retcon.i1(i32 %i)\n"
    " br i1 %stop, label %end, label %more\nmore:\n %next = add i32 %i, 1\n br label %loop\nend:\n"
    " call void @say(i32 %i)\n call void @llvm.coro.end(ptr %h, i1 false, token none)\n unreachable\n}\n"
    "define i64 @f() {\nentry:\n %b = alloca [16 x i8], align 8\n %first = call { ptr, i32 } @g(ptr %b, i32 4)\n"
    " br label %loop\nloop:\n %state = phi { ptr, i32 } [%first, %entry], [%then, %loop]\n"
    " %sum = phi i32 [0, %entry], [%more, %loop]\n %go = extractvalue { ptr, i32 } %state, 0\n"
    " %value = extractvalue { ptr, i32 } %state, 1\n %more = add i32 %sum, %value\n %last = icmp eq i32 %value, 6\n"
    " %then = call { ptr, i32 } %go(ptr %b, i1 %last)\n br i1 %last, label %end, label %loop\nend:\n"
    " %null = extractvalue { ptr, i32 } %then, 0\n %ended = icmp eq ptr %null, null\n"
    " %wide = zext i32 %more to i64\n %r = select i1 %ended, i64 %wide, i64 -1\n ret i64 %r\n}\n"
    "declare { ptr, i32 } @prototype(ptr, i1)\ndeclare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
    "declare void @say(i32)\n";

/* Suspends to a function that resumes it immediately. */
static const char async[] =
    "@a.fp = global <{ i32, i32 }> <{ i32 0, i32 16 }>\n"
    "define swifttailcc void @go(ptr %f, ptr %c) {\n musttail call swifttailcc void %f(ptr %c)\n ret void\n}\n"
    "define ptr @same(ptr %c) {\n ret ptr %c\n}\n"
    "define swifttailcc void @a(ptr swiftasync %c) presplitcoroutine {\n %v = alloca i32\n"
    " %id = call token @llvm.coro.id.async(i32 16, i32 16, i32 0, ptr @a.fp)\n"
    " %h = call ptr @llvm.coro.begin(token %id, ptr null)\n store i32 5, ptr %v\n call void @say(i32 1)\n"
    " %r = call ptr @llvm.coro.async.resume()\n"
    " %came = call { ptr } (i32, ptr, ptr, ...) @llvm.coro.suspend.async.sl_p0s(i32 0, ptr %r, ptr @same, ptr @go, "
    "ptr %r, ptr %c)\n %x = load i32, ptr %v\n call void @say(i32 %x)\n"
    " call void (ptr, i1, ...) @llvm.coro.end.async(ptr %h, i1 false)\n unreachable\n}\n"
    "define i64 @f() {\n %c = alloca [64 x i8], align 16\n call swifttailcc void @a(ptr swiftasync %c)\n"
    " call void @say(i32 9)\n ret i64 7\n}\ndeclare void @say(i32)\n";

static void test_continuations(coro_diags *diags)
{
  static const struct {
    const char *text, *said;
    int64_t value;
  } cases[] = {{retcon, "6 ", 15}, {async, "1 5 9 ", 7}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct host host = {"", NULL, NULL};
    coro_value result;
    coro_diags_clear(diags);
    coro_status status = run(cases[i].text, &host, &result, diags);
    CHECK(!status, "%s", coro_diags_count(diags) ? coro_diags_get(diags, 0)->message : "");
    CHECK(!strcmp(host.said, cases[i].said), "%s", host.said);
    CHECK((int64_t)result.words[0] == cases[i].value, "%lld", (long long)result.words[0]);
  }
}

static void test_usage(coro_diags *diags)
{
  static const char big[] = "target datalayout = \"E-p:32:32\"\n";
  coro_interp *interp = NULL;
  coro_module *module = parse("@v = external global i32\ndefine i32 @f(i32 %x) {\n ret i32 %x\n}\n", diags);
  void *code = NULL;
  int32_t variable = 5;
  coro_value one = {CORO_VALUE_INT, 32, {7, 0}, true};
  CHECK(coro_interp_create(NULL, module, NULL, diags) == CORO_EUSAGE, "no place");
  CHECK(!coro_interp_create(&interp, module, NULL, diags), "no options");
  CHECK(coro_interp_address(interp, "g", &code, diags) == CORO_EUSAGE, "no such function");
  CHECK(coro_interp_define(interp, "f", &variable, diags) == CORO_EUSAGE, "a function is not a variable");
  CHECK(!coro_interp_define(interp, "v", &variable, diags), "define");
  CHECK(!coro_interp_address(interp, "v", &code, diags) && code == &variable, "where it was said to be");
  CHECK(!coro_interp_address(interp, "f", &code, diags), "address");
  CHECK(coro_interp_call(interp, code, (coro_values){NULL, 0}, NULL, diags) == CORO_EUSAGE, "an argument is missing");
  CHECK(coro_interp_call(interp, &one, (coro_values){&one, 1}, NULL, diags) == CORO_EUSAGE, "no function is there");
  CHECK(!coro_interp_call(interp, code, (coro_values){&one, 1}, NULL, diags), "results may be left");
  CHECK(coro_interp_resume(interp, &one, diags) == CORO_EUNDEFINED, "no handle");
  coro_interp_free(interp);
  coro_module_free(module);
  module = NULL;
  CHECK(!coro_module_parse(&module, big, sizeof big - 1, "big.ll", diags), "parse");
  CHECK(coro_interp_create(&interp, module, NULL, diags) == CORO_EUNSUPPORTED && !interp, "another machine");
  coro_module_free(module);
}

int main(void)
{
  coro_diags *diags = NULL;
  CHECK(!coro_diags_create(&diags), "diagnostics");
  test_computed(diags);
  test_refused(diags);
  coro_diags_clear(diags);
  test_coroutine(diags);
  test_nesting(diags);
  test_continuations(diags);
  test_usage(diags);
  coro_diags_free(diags);
  return check_done("interpreter");
}
