/* Modules of the public API: parsing, rejection and its diagnostics, copies, function lists.
   Requires: the whole library. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

static const char sound[] = "define void @f(ptr %p) presplitcoroutine {\nentry:\n"
                            "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n  ret void\n}\n"
                            "define i32 @caller(i32 %x) {\n  ret i32 %x\n}\n"
                            "define internal void @bare(ptr sret({ ptr, i32 }) %result) {\n"
                            "  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n  ret void\n}\n"
                            "declare token @llvm.coro.id(i32, ptr readnone, ptr nocapture readonly, ptr)\n"
                            "declare ptr @malloc(i64)\n";

/* coro.end's result was an i1 before LLVM 22. */
#define BROKEN                                                                                                         \
  "define void @fine() {\n  ret void\n}\n"                                                                             \
  "define void @broken(i32 %x) {\nentry:\n  br label %tail\ntail:\n"                                                   \
  "  %end = call i1 @llvm.coro.end(ptr null, i1 false, token none)\n  ret void\n}\n"                                   \
  "declare i1 @llvm.coro.end(ptr, i1, token)\n"
#define FLAG(name) "!llvm.module.flags = !{!0}\n!0 = !{i32 2, " name ", i32 3}\n"

/* A function with debug info, as clang -g emits it. */
#define DEBUGGED                                                                                                       \
  "define void @f() !dbg !4 {\n  ret void, !dbg !6\n}\n!llvm.dbg.cu = !{!1}\n"                                         \
  "!llvm.module.flags = !{!0}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n"                                        \
  "!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2)\n"                                                      \
  "!2 = !DIFile(filename: \"a.c\", directory: \"/\")\n!3 = !DISubroutineType(types: !5)\n"                             \
  "!4 = distinct !DISubprogram(name: \"f\", file: !2, type: !3, unit: !1, spFlags: DISPFlagDefinition)\n"              \
  "!5 = !{null}\n!6 = !DILocation(line: 1, scope: !4)\n"

static coro_status parse(coro_module **out, const char *text, coro_diags *diags)
{
  return coro_module_parse(out, text, strlen(text), "test.ll", diags);
}

static void check_sound(coro_diags *diags)
{
  coro_module *module, *clone;
  CHECK(parse(&module, sound, diags) == CORO_OK, "sound");
  char *text = NULL, *bitcode = NULL, *again = NULL;
  size_t size, count;
  CHECK(coro_module_print(module, &text) == CORO_OK && strstr(text, "; ModuleID = 'test.ll'"), "name");
  CHECK(coro_module_bitcode(module, &bitcode, &size) == CORO_OK && !memcmp(bitcode, "BC\xc0\xde", 4), "bitcode");
  CHECK(coro_module_clone(&clone, module, diags) == CORO_OK && coro_module_print(clone, &again) == CORO_OK, "clone");
  CHECK(!strcmp(text, again), "a clone reads the same:\n%s", again);
  CHECK(coro_module_llvm(clone) != coro_module_llvm(module) &&
            LLVMGetModuleContext(coro_module_llvm(clone)) != LLVMGetModuleContext(coro_module_llvm(module)),
        "a clone has a context of its own");
  coro_module_free(clone);
  coro_string_free(again);
  CHECK(coro_module_parse(&clone, bitcode, size, "test.ll", diags) == CORO_OK &&
            coro_module_print(clone, &again) == CORO_OK && !strcmp(text, again),
        "bitcode reads as the text did");
  const coro_function_info *infos;
  CHECK(coro_module_functions(clone, &infos, &count) == CORO_OK && count == 5, "%zu functions", count);
  static const coro_function_info expected[] = {
      {"f", "void (ptr)", false, false, true, true, false, ""},
      {"caller", "i32 (i32)", false, false, false, false, false, ""},
      {"bare", "void (ptr)", false, false, false, true, true, "{ ptr, i32 }"},
      {"llvm.coro.id", "token (i32, ptr, ptr, ptr)", true, true, false, false, false, ""},
      {"malloc", "ptr (i64)", true, false, false, false, false, ""},
  };
  for (size_t i = 0; i < 5; i++) {
    const coro_function_info *e = &expected[i];
    CHECK(!strcmp(infos[i].name, e->name) && !strcmp(infos[i].type, e->type), "%s %s", infos[i].name, infos[i].type);
    CHECK(infos[i].declaration == e->declaration && infos[i].intrinsic == e->intrinsic &&
              infos[i].presplit == e->presplit && infos[i].coroutine == e->coroutine && infos[i].local == e->local &&
              !strcmp(infos[i].sret, e->sret),
          "%s", e->name);
    const coro_function_info *one;
    LLVMValueRef named = LLVMGetNamedFunction(coro_module_llvm(clone), e->name);
    CHECK(coro_module_function(clone, named, &one) == CORO_OK && !strcmp(one->name, e->name) &&
              !strcmp(one->type, e->type) && one->coroutine == e->coroutine && one->presplit == e->presplit,
          "%s alone", e->name);
    CHECK(coro_module_function(module, named, &one) == CORO_EUSAGE && !one, "%s is of another module", e->name);
  }
  CHECK(coro_module_verify(clone, diags) == CORO_OK && coro_module_generation(clone) == 0, "verify");
  CHECK(coro_diags_count(diags) == 0, "nothing to say");
  coro_string_free(text);
  coro_string_free(again);
  coro_string_free(bitcode);
  coro_module_free(clone);
  coro_module_free(module);
  coro_module_free(NULL);
}

static void check_empty(coro_diags *diags)
{
  coro_module *module;
  size_t count;
  const coro_function_info *infos;
  CHECK(coro_module_parse(&module, NULL, 0, NULL, diags) == CORO_OK, "empty data is an empty module");
  CHECK(coro_module_functions(module, &infos, &count) == CORO_OK && count == 0, "no functions");
  coro_module_free(module);
}

/* Checks that `text` is rejected with one diagnostic; "" is not compared. */
static void refused(const char *text, size_t size, const coro_diag *expected)
{
  coro_diags *diags;
  coro_module *module = (coro_module *)text;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  coro_status status = coro_module_parse(&module, text, size, "test.ll", diags);
  CHECK(status == expected->status && !module, "status %d, not %d: %s", status, expected->status, text);
  CHECK(coro_diags_count(diags) >= 1, "a diagnostic for %s", text);
  const coro_diag *diag = coro_diags_get(diags, 0);
  if (diag) {
    CHECK(diag->status == expected->status && !strcmp(diag->rule, expected->rule), "%s", diag->rule);
    CHECK(!strcmp(diag->function, expected->function), "function %s, not %s", diag->function, expected->function);
    CHECK(!strcmp(diag->block, expected->block), "block %s, not %s", diag->block, expected->block);
    CHECK(!strncmp(diag->instruction, expected->instruction, strlen(expected->instruction)), "%s", diag->instruction);
    CHECK(strstr(diag->message, expected->message) != NULL, "%s", diag->message);
    CHECK(*diag->hint, "a hint for %s", diag->message);
  }
  module = NULL;
  CHECK(coro_module_parse(&module, text, size, "test.ll", NULL) == expected->status, "without diagnostics");
  coro_diags_free(diags);
}

static void check_parse_errors(void)
{
  static const struct {
    const char *text;
    coro_diag diag;
  } cases[] = {
      {"not IR",
       {CORO_EPARSE, CORO_ERROR, "parse", "", "", "not IR", "line 1, column 1: expected top-level entity", "", "", 0,
        0}},
      {"define void @\"f g\"() {\n  ret i32 0\n}\n",
       {CORO_EPARSE, CORO_ERROR, "parse", "f g", "", "ret i32 0", "line 2, column 7: value doesn't match", "", "", 0,
        0}},
      {"define void @a() {\n  ret void\n}\ndefine i32 @b(i32 %x) {\nentry:\n  br label %l\nl:\n  ret i64 %x\n}\n",
       {CORO_EPARSE, CORO_ERROR, "parse", "b", "%l", "ret i64 %x", "line 8, column 11: '%x' defined with", "", "", 0,
        0}},
      {"BC\xc0\xde", {CORO_EPARSE, CORO_ERROR, "parse", "", "", "", "Expected a single module", "", "", 0, 0}},
      {"BC\xc0\xde 1234567", {CORO_EPARSE, CORO_ERROR, "parse", "", "", "", "Expected a single module", "", "", 0, 0}},
      {"\xde\xc0\x17\x0bxxxx",
       {CORO_EPARSE, CORO_ERROR, "parse", "", "", "", "Invalid bitcode wrapper header", "", "", 0, 0}},
      {"\x7f"
       "ELF",
       {CORO_EPARSE, CORO_ERROR, "parse", "", "", "", "expected top-level entity", "", "", 0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refused(cases[i].text, strlen(cases[i].text), &cases[i].diag);
}

static void check_verify_errors(void)
{
  static const struct {
    const char *text;
    coro_diag diag;
  } cases[] = {
      {BROKEN,
       {CORO_EVERIFY, CORO_ERROR, "verify", "broken", "%tail", "%end = call i1 @llvm.coro.end(", "ntrinsic", "", "", 0,
        0}},
      {"define i32 @g(i32) {\n  %a = add i32 %b, %0\n  br label %\"a b\"\n\"a b\":\n  %b = add i32 1, %0\n"
       "  ret i32 %b\n}\n",
       {CORO_EVERIFY, CORO_ERROR, "verify", "g", "%\"a b\"", "%b = add i32 1, %0", "does not dominate", "", "", 0, 0}},
      {"define i32 @g(i32) {\n  %a = add i32 %a, %0\n  ret i32 %a\n}\n",
       {CORO_EVERIFY, CORO_ERROR, "verify", "g", "%1", "%a = add i32 %a, %0", "Only PHI nodes", "", "", 0, 0}},
      {"define void @m() {\n  %p = alloca i32, !callsite !0\n  ret void\n}\n!0 = !{}\n",
       {CORO_EVERIFY, CORO_ERROR, "verify", "m", "%0", "%p = alloca i32", "!callsite metadata should only", "", "", 0,
        0}},
      {"declare void @f(metadata)\n",
       {CORO_EVERIFY, CORO_ERROR, "verify", "f", "", "metadata", "Function takes metadata", "", "", 0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refused(cases[i].text, strlen(cases[i].text), &cases[i].diag);
}

/* LLVM's parser overflows the stack on these. */
static void check_nesting(void)
{
  enum { DEPTH = 100000 };
  static const char *const brackets[][4] = {
      {"@x = global ", "[1 x ", "i8", "]"}, {"!0 = ", "!{", "", "}"}, {"@x = global ", "{", "i8", "}"}};
  for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++) {
    size_t open = strlen(brackets[i][1]), at = strlen(brackets[i][0]) + 1;
    char *text = malloc(at + DEPTH * (open + 1) + 3);
    sprintf(text, "\n%s", brackets[i][0]);
    for (size_t n = 0; n < DEPTH; n++, at += open)
      memcpy(text + at, brackets[i][1], open);
    at += (size_t)sprintf(text + at, "%s", brackets[i][2]);
    memset(text + at, brackets[i][3][0], DEPTH);
    const coro_diag expected = {CORO_EPARSE, CORO_ERROR, "parse", "", "", "", "line 2: brackets nest more",
                                "",          "",         0,       0};
    refused(text, at + DEPTH, &expected);
    free(text);
  }
}

/* LLVM's parser would free the second intrinsic, a former LLVM name, while its address is in use. */
static void check_addresses(coro_diags *diags)
{
  static const char *const taken[] = {
      "declare ptr @llvm.coro.free(token, ptr)\n\n@x = global ptr @llvm.coro.free\n",
      "declare { ptr } @llvm.coro.suspend.async.sl_p0i8s(i32, ptr, ptr, ...)\ndefine ptr @f() {\n"
      "  ret ptr getelementptr (i8, ptr @llvm.coro.suspend.async.sl_p0i8s, i64 1)\n}\n",
      "declare i8 @llvm.ctpop.i8(i8)\n\n@x = global ptr @\"llvm.ctpop.i8\"\n",
  };
  static const char fine[] =
      "@llvm.odd = global i32 0 ; @llvm.in.a.comment\n@llvm.used = appending global [1 x ptr] [ptr @llvm.odd], section "
      "\"llvm.metadata\"\n@text = constant [6 x i8] c\"@llvm.\"\n@x = global ptr @late, !m !0\n@late = alias i32, ptr "
      "@llvm.later\n@llvm.later = global i32 0\n!0 = !{}\ndefine i8 @f(i8 %v) {\n  %a = call i8 @llvm.ctpop.i8 (i8 "
      "%v)\n"
      "  %b = call i8 @llvm.ctpop.i8(i8 %a)\n  ret i8 %b\n}\ndeclare i8 @llvm.ctpop.i8(i8)\n"
      "uselistorder ptr @llvm.ctpop.i8, { 1, 0 }\n";
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    const coro_diag expected = {
        CORO_EPARSE,     CORO_ERROR, "parse", "", "", "", "line 3: the address of an intrinsic is taken",
        "call it there", "",         0,       0};
    refused(taken[i], strlen(taken[i]), &expected);
  }
  coro_module *module = NULL;
  CHECK(parse(&module, fine, diags) == CORO_OK, "names of LLVM that are not intrinsics, or are called");
  coro_module_free(module);
  coro_diags_clear(diags);
}

/* Two broken functions: each diagnostic names its function. */
static void check_two_broken(coro_diags *diags)
{
  coro_module *module;
  CHECK(parse(&module,
              "define i32 @a(i32 %x) {\nentry:\n  %v = add i32 %v, %x\n  ret i32 %v\n}\n"
              "define void @fine() {\n  ret void\n}\n"
              "define i32 @b(i32 %x) {\n  br label %l\nl:\n  %w = add i32 %w, %x\n  ret i32 %w\n}\n",
              diags) == CORO_EVERIFY,
        "broken");
  CHECK(coro_diags_count(diags) == 2, "%zu complaints", coro_diags_count(diags));
  const coro_diag *first = coro_diags_get(diags, 0), *second = coro_diags_get(diags, 1);
  CHECK(first && !strcmp(first->function, "a") && !strcmp(first->block, "%entry"), "the first");
  CHECK(second && !strcmp(second->function, "b") && !strcmp(second->block, "%l"), "the second");
  coro_diags_clear(diags);
}

/* The first is valid, the second is rejected with a diagnostic; the third crashes the reader. */
static void check_rehearsal(coro_diags *diags)
{
  static const char token[] = "declare token @llvm.coro.suspend.retcon.token(...)\n"
                              "define void @f() {\n"
                              "  %t = call token (...) @llvm.coro.suspend.retcon.token()\n  ret void\n}\n";
  CHECK(coro_module_check_sandboxed(NULL, "", 0, "empty", diags) == CORO_OK, "an empty module");
  CHECK(coro_module_check_sandboxed(NULL, "nonsense", 8, "nonsense", diags) == CORO_OK, "what no reader takes");
  CHECK(coro_diags_count(diags) == 0, "neither is reported");
  CHECK(coro_module_check_sandboxed(NULL, token, sizeof token - 1, "token", diags) == CORO_EPARSE, "a token");
  const coro_diag *said = coro_diags_get(diags, 0);
  CHECK(said && !strcmp(said->rule, "reader") && *said->hint, "which rule");
  coro_diags_clear(diags);
}

/* LLVM's reader aborts on these. */
static void check_broken_with_debug_flag(void)
{
  static const char *const flags[] = {
      FLAG("!\"Debug Info Version\""),
      FLAG("!\"\\44ebug Info Versio\\6e\""),
      FLAG("!\"Debug\\20Info Versio\\6E\""),
      FLAG("! ; a comment \"\n \"Debug Info Version\""),
      FLAG("! /* \" */ \"Debug Info Version\""),
      DEBUGGED,
      "@s = global [2 x i8] c\"!\\22\"\n; \"\n" FLAG("!\"Debug Info Version\""),
  };
  const coro_diag expected = {CORO_EVERIFY, CORO_ERROR, "verify", "broken", "%tail", "%end = call i1 @llvm.coro.end(",
                              "ntrinsic",   "",         "",       0,        0};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", BROKEN, flags[i]);
    refused(text, strlen(text), &expected);
  }
  const coro_diag unparsed = {CORO_EPARSE, CORO_ERROR, "parse", "", "", "!1 = !{", "expected", "", "", 0, 0};
  refused(FLAG("!\"Debug Info Version\"") "!1 = !{", strlen(FLAG("!\"Debug Info Version\"") "!1 = !{"), &unparsed);
}

/* The library cannot write bitcode of a broken module, because it never holds one; LLVM does. */
static void check_broken_bitcode(void)
{
  static const char later[] = "Debug Info Versio0";
  char text[1024];
  snprintf(text, sizeof text, "%s%s", BROKEN, FLAG("!\"Debug Info Versio0\""));
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "text");
  LLVMModuleRef module = NULL;
  extern LLVMBool LLVMParseIRInContext2(LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef *, char **);
  extern LLVMMemoryBufferRef LLVMWriteBitcodeToMemoryBuffer(LLVMModuleRef);
  CHECK(!LLVMParseIRInContext2(context, buffer, &module, NULL), "LLVM reads it while the flag has another name");
  LLVMDisposeMemoryBuffer(buffer);
  buffer = LLVMWriteBitcodeToMemoryBuffer(module);
  size_t size = LLVMGetBufferSize(buffer), changed = 0;
  char *bitcode = malloc(size);
  memcpy(bitcode, LLVMGetBufferStart(buffer), size);
  for (size_t i = 0; i + sizeof later - 1 <= size; i++)
    if (!memcmp(bitcode + i, later, sizeof later - 1)) {
      bitcode[i + sizeof later - 2] = 'n';
      changed++;
    }
  CHECK(changed == 1, "the flag in the bitcode");
  const coro_diag expected = {CORO_EVERIFY, CORO_ERROR, "verify", "broken", "%tail", "%end = call i1 @llvm.coro.end(",
                              "ntrinsic",   "",         "",       0,        0};
  refused(bitcode, size, &expected);
  for (size_t cut = 0; cut < size; cut += 4) {
    coro_module *none = NULL;
    CHECK(coro_module_parse(&none, bitcode, cut, "cut", NULL) == (cut ? CORO_EPARSE : CORO_OK), "%zu bytes", cut);
    coro_module_free(none);
  }
  free(bitcode);
  LLVMDisposeMemoryBuffer(buffer);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

/* A valid module keeps its flag, and its debug info. */
static void check_sound_with_debug_flag(coro_diags *diags)
{
  coro_module *module, *clone;
  char *first = NULL, *second = NULL;
  CHECK(parse(&module, DEBUGGED, diags) == CORO_OK, "sound");
  CHECK(coro_module_clone(&clone, module, diags) == CORO_OK && coro_module_print(module, &first) == CORO_OK &&
            coro_module_print(clone, &second) == CORO_OK && !strcmp(first, second),
        "cloned");
  CHECK(strstr(first, "!\"Debug Info Version\"") && strstr(first, "!DISubprogram(name: \"f\""), "%s", first);
  CHECK(coro_diags_count(diags) == 0, "%s", coro_diags_get(diags, 0)->message);
  coro_string_free(first);
  coro_string_free(second);
  coro_module_free(module);
  coro_module_free(clone);
}

/* A module whose function uses a value before its definition, which LLVM's passes of O0 do not notice. */
static void check_trusted_llvm(coro_diags *diags)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef llvm = LLVMModuleCreateWithNameInContext("made", context);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context), type = LLVMFunctionType(i32, &i32, 1, false);
  LLVMValueRef function = LLVMAddFunction(llvm, "f", type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  LLVMValueRef sum = LLVMBuildAdd(builder, LLVMGetParam(function, 0), LLVMGetParam(function, 0), "sum");
  LLVMValueRef more = LLVMBuildAdd(builder, sum, sum, "more");
  LLVMSetOperand(sum, 0, more);
  LLVMBuildRet(builder, more);
  LLVMDisposeBuilder(builder);
  coro_module *module;
  CHECK(coro_module_adopt(&module, llvm, diags) == CORO_EVERIFY && !module, "not valid");
  CHECK(coro_module_adopt_unchecked(&module, llvm, diags) == CORO_OK && module, "adopted without verification");
  coro_options options = CORO_OPTIONS_INIT;
  options.in_place = options.llvm_unverified = true;
  CHECK(coro_run(module, "default<O0>", &options, NULL, diags) == CORO_OK, "LLVM's passes are trusted");
  CHECK(coro_run(module, "default<O0>", NULL, NULL, diags) == CORO_EVERIFY, "until the next run");
  coro_module_free(module);
  coro_diags_clear(diags);
}

/* A module made through LLVM's API; a broken one stays with the caller. */
static void check_adopt(coro_diags *diags)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef llvm = LLVMModuleCreateWithNameInContext("made", context);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  LLVMValueRef function = LLVMAddFunction(llvm, "f", type);
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(context, function, "entry");
  coro_module *module;
  CHECK(coro_module_adopt(&module, llvm, diags) == CORO_EVERIFY && !module, "a block without a terminator");
  const coro_diag *diag = coro_diags_get(diags, 0);
  CHECK(diag && !strcmp(diag->function, "f") && !strcmp(diag->block, "%entry"), "%s in %s", diag->message,
        diag->function);
  coro_diags_clear(diags);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildRetVoid(builder);
  CHECK(coro_module_adopt(&module, llvm, diags) == CORO_OK && coro_module_llvm(module) == llvm, "adopted");
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(block));
  coro_module *clone;
  CHECK(coro_module_clone(&clone, module, diags) == CORO_EVERIFY && !clone, "a broken module is not cloned");
  CHECK(coro_module_verify(module, NULL) == CORO_EVERIFY, "nor verified");
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  coro_module_free(module);
  coro_diags_clear(diags);
}

static void check_statuses(void)
{
  CHECK(!strcmp(coro_version(), CORO_VERSION) && !strncmp(coro_llvm_version(), "22.", 3), "%s", coro_llvm_version());
  CHECK(coro_status_exit(CORO_OK) == 0 && coro_status_exit(CORO_EREJECTED) == 1, "exit statuses");
  CHECK(coro_status_exit(CORO_EPIPELINE) == 2 && coro_status_exit(CORO_ENOMEM) == 3, "exit statuses");
  CHECK(!strcmp(coro_status_text(CORO_EVERIFY), "the module is invalid"), "text");
  CHECK(*coro_status_text((coro_status)999) && coro_status_exit((coro_status)999) == 3, "no such status");
}

int main(void)
{
  coro_diags *diags;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  check_sound(diags);
  check_empty(diags);
  check_parse_errors();
  check_verify_errors();
  check_nesting();
  check_addresses(diags);
  check_two_broken(diags);
  check_rehearsal(diags);
  check_broken_with_debug_flag();
  check_broken_bitcode();
  check_sound_with_debug_flag(diags);
  check_adopt(diags);
  check_trusted_llvm(diags);
  check_statuses();
  coro_diags_free(diags);
  return check_done("test_module");
}
