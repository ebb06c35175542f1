/* Latch: loops around loops that become one, drawn ones and such as are left; each does after it what it did before.
   Needs: the whole library. Leaves: nothing. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/IRReader.h"
#include "pass/latch.h"

enum { DRAWN = 400, COUNTS = 12 };

struct text {
  char at[8192];
  size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  text->length += (size_t)vsnprintf(text->at + text->length, sizeof text->at - text->length, format, arguments);
  va_end(arguments);
}

static const char declarations[] = "declare i32 @llvm.fshl.i32(i32, i32, i32)\ndeclare i32 @get(i32)\n";

/* The text of the module once the loops of @f are joined; NULL: there are none. */
static char *joined(const char *source)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(source, strlen(source), "");
  LLVMModuleRef module = NULL;
  char *message = NULL, *result = NULL;
  bool changed = false;
  if (LLVMParseIRInContext(context, buffer, &module, &message)) {
    fprintf(stderr, "%s\n%s\n", message, source);
    abort();
  }
  struct pass_run run = {.module = module, .context = context, .arena = coro_arena_create()};
  CHECK(latch_join(&run, LLVMGetNamedFunction(module, "f"), &changed), "memory");
  CHECK(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s: %s", message, source);
  LLVMDisposeMessage(message);
  if (changed) {
    char *text = LLVMPrintModuleToString(module);
    result = strcpy(malloc(strlen(text) + 1), text);
    LLVMDisposeMessage(text);
    bool again = false;
    CHECK(latch_join(&run, LLVMGetNamedFunction(module, "f"), &again) && !again, "once is enough: %s", result);
  }
  coro_arena_free(run.arena);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return result;
}

/* What @f(count) returns for each count below COUNTS. */
static void execute(const char *text, uint64_t *results)
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

static void does_the_same(const char *before)
{
  uint64_t was[COUNTS], is[COUNTS];
  char *after = joined(before);
  CHECK(after, "there is a loop around a loop: %s", before);
  if (!after)
    return;
  execute(before, was);
  execute(after, is);
  CHECK(!memcmp(was, is, sizeof was), "%s\nbecame\n%s", before, after);
  free(after);
}

/* ---- drawn ---- */

struct drawn {
  struct text text;
  uint64_t random;
  char names[32][16]; /* values that may be used where the text goes on */
  uint32_t count;
};

static const char *any(struct drawn *d)
{
  return d->names[check_below(&d->random, d->count)];
}

static void name(struct drawn *d, const char *value)
{
  snprintf(d->names[d->count++], sizeof d->names[0], "%s", value);
}

static void compute(struct drawn *d, const char *value)
{
  static const char *const operations[] = {"add", "xor", "sub", "mul", "and"};
  const char *a = any(d), *b = any(d);
  if (check_below(&d->random, 4))
    put(&d->text, "  %s = %s i32 %s, %s\n", value, operations[check_below(&d->random, 5)], a, b);
  else
    put(&d->text, "  %s = call i32 @llvm.fshl.i32(i32 %s, i32 %s, i32 1)\n", value, a, b);
  name(d, value);
}

/* A few operations in the block, whose values begin so. */
static void work(struct drawn *d, char prefix, uint32_t most)
{
  uint32_t count = 1 + check_below(&d->random, most);
  for (uint32_t i = 0; i < count; i++) {
    char value[16];
    snprintf(value, sizeof value, "%%%c%u", prefix, (unsigned)i);
    compute(d, value);
  }
}

/* Of a phi of the outer loop, what comes from that block: what there is there in any case. */
static void from_turn(struct drawn *d, const char *block, uint32_t most)
{
  static const char *const values[] = {"%w0", "%p0", "%p1", "%k", "%t1", "%i0", "%b0"};
  put(&d->text, ", [ %s, %%%s ]", values[check_below(&d->random, most)], block);
}

/* One way or two lead into the outer loop; from the inner one another leads round the branch to it, or none. */
static void draw(struct drawn *d, uint64_t seed)
{
  *d = (struct drawn){.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
  bool two = check_below(&d->random, 2), round = check_below(&d->random, 2), turned = check_below(&d->random, 2);
  struct text *t = &d->text;
  put(t, "%sdefine i32 @f(i32 %%n) {\nentry:\n  %%even = trunc i32 %%n to i1\n", declarations);
  put(t, two ? "  br i1 %%even, label %%outer, label %%way\nway:\n  br label %%outer\nouter:\n"
             : "  br label %%outer\nouter:\n");
  for (int p = 0; p < 3; p++) { /* the last one counts the turns */
    put(t, "  %%p%d = phi i32 [ %d, %%entry ]", p, p == 2 ? 0 : p + 4);
    put(t, two ? ", [ %s, %%way ]" : "", p == 2 ? "0" : "%n");
    for (int from = 0; from < 1 + round; from++)
      if (p == 2)
        put(t, ", [ %%t1, %%%s ]", from ? "around" : "branch");
      else
        from_turn(d, from ? "around" : "branch", from ? 6 : 7);
    put(t, "\n");
  }
  name(d, "%n");
  name(d, "7");
  name(d, "%p0");
  name(d, "%p1");
  work(d, 'w', 4);
  const char *handed = any(d), *kept = any(d);
  put(t, "  br label %%inner\ninner:\n  %%t = phi i32 [ %%p2, %%outer ], [ %%t1, %%branch ]\n");
  put(t, "  %%k = phi i32 [ %s, %%outer ], [ %s, %%branch ]\n", handed, check_below(&d->random, 2) ? "%k" : kept);
  put(t, "  %%m = phi i32 [ 3, %%outer ], [ %s, %%branch ]\n", check_below(&d->random, 2) ? "%k" : "%t");
  name(d, "%k");
  name(d, "%m");
  put(t, "  %%t1 = add i32 %%t, 1\n");
  name(d, "%t1");
  work(d, 'i', 3);
  put(t, "  %%out = icmp ugt i32 %%t1, %%n\n  br i1 %%out, label %%exit, label %%%s\n", round ? "fork" : "branch");
  if (round) {
    put(t, "fork:\n  %%bit = and i32 %s, 3\n  %%is = icmp eq i32 %%bit, 1\n", any(d));
    put(t, "  br i1 %%is, label %%around, label %%branch\naround:\n  br label %%outer\n");
  }
  uint32_t before = d->count;
  put(t, "branch:\n");
  work(d, 'b', 2);
  put(t, "  %%what = and i32 %s, 5\n  %%no = icmp eq i32 %%what, 0\n", any(d));
  put(t, "  br i1 %%no, label %%%s, label %%%s\n", turned ? "outer" : "inner", turned ? "inner" : "outer");
  d->count = before;
  put(t, "exit:\n");
  work(d, 'x', 3);
  put(t, "  %%all = add i32 %%p0, %s\n  %%more = xor i32 %%all, %s\n  ret i32 %%more\n}\n", any(d), any(d));
}

static void drawn(void)
{
  static struct drawn d;
  for (uint64_t seed = 0; seed < DRAWN; seed++) {
    draw(&d, seed);
    does_the_same(d.text.at);
  }
}

/* ---- one by one ---- */

/* What is done with an element, and the branch behind which that is. */
#define FILTER(work, branch)                                                                                           \
  "define i32 @f(i32 %n) {\n"                                                                                          \
  "entry:\n  br label %outer\n"                                                                                        \
  "outer:\n"                                                                                                           \
  "  %sum = phi i32 [ 0, %entry ], [ %sum1, %branch ]\n"                                                               \
  "  %value = phi i32 [ 1, %entry ], [ %i1, %branch ]\n" work "  br label %inner\n"                                    \
  "inner:\n"                                                                                                           \
  "  %i = phi i32 [ %value, %outer ], [ %i1, %branch ]\n"                                                              \
  "  %i1 = add i32 %i, 1\n"                                                                                            \
  "  %out = icmp ugt i32 %i1, %n\n"                                                                                    \
  "  br i1 %out, label %exit, label %branch\n"                                                                         \
  "branch:\n"                                                                                                          \
  "  %bits = and i32 %i1, 5\n"                                                                                         \
  "  %no = icmp eq i32 %bits, 0\n" branch "exit:\n"                                                                    \
  "  ret i32 %sum1\n"                                                                                                  \
  "}\n"
#define BRANCH "  br i1 %no, label %inner, label %outer\n"

static void is_left(const char *source)
{
  char whole[4096];
  snprintf(whole, sizeof whole, "%s%s", declarations, source);
  char *after = joined(whole);
  CHECK(!after, "%s\nbecame\n%s", whole, after);
  free(after);
}

static void left(void)
{
  is_left(FILTER("  %sum1 = call i32 @get(i32 %value)\n", BRANCH)); /* who knows how much that is */
  is_left(FILTER("  %a = add i32 %sum, 1\n  %b = add i32 %a, 2\n  %c = add i32 %b, 3\n  %d = add i32 %c, 4\n"
                 "  %sum1 = add i32 %d, %value\n",
                 BRANCH)); /* more than is wanted twice */
  is_left(FILTER("  %sum1 = add i32 %sum, %value\n",
                 "  switch i32 %i1, label %inner [ i32 3, label %outer ]\n")); /* no branch with two ways */
  is_left("define i32 @f(i32 %n) {\n" /* control comes to the branch otherwise than by the inner loop */
          "entry:\n  %c = icmp ugt i32 %n, 4\n  br i1 %c, label %outer, label %branch\n"
          "outer:\n  %sum = phi i32 [ 0, %entry ], [ %i, %branch ]\n  %sum1 = add i32 %sum, %n\n  br label %inner\n"
          "inner:\n  %m = phi i32 [ %sum1, %outer ], [ %i, %branch ]\n  %out = icmp ugt i32 %m, 9\n"
          "  br i1 %out, label %exit, label %branch\n"
          "branch:\n  %i = phi i32 [ 0, %entry ], [ %m, %inner ]\n  %no = icmp eq i32 %i, 3\n"
          "  br i1 %no, label %inner, label %outer\n"
          "exit:\n  ret i32 0\n}\n");
  is_left("define i32 @f(i32 %n) {\n" /* nothing is done in the outer loop */
          "entry:\n  br label %outer\n"
          "outer:\n  %sum = phi i32 [ 0, %entry ], [ %m1, %branch ]\n  br label %inner\n"
          "inner:\n  %m = phi i32 [ %sum, %outer ], [ %m1, %branch ]\n  %m1 = add i32 %m, 1\n"
          "  %out = icmp ugt i32 %m, 9\n  br i1 %out, label %exit, label %branch\n"
          "branch:\n  %no = icmp eq i32 %m, %n\n  br i1 %no, label %inner, label %outer\n"
          "exit:\n  ret i32 0\n}\n");
}

static void one_by_one(void)
{
  does_the_same(FILTER("  %sum1 = add i32 %sum, %value\n", BRANCH));
  does_the_same(FILTER("  %twice = add i32 %value, %value\n  %sum1 = xor i32 %sum, %twice\n", BRANCH));
  does_the_same(FILTER("  %sum1 = sub i32 %value, %sum\n", "  br i1 %no, label %outer, label %inner\n"));
}

/* A record behind the outer loop's work tells of what the one loop's head begins with, which is there whichever way
   control has come. */
static void records(void)
{
  static const char record[] = "  #dbg_value(i32 %sum1, !4, !DIExpression(), !5)\n",
                    data[] = "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
                             "!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)\n"
                             "!1 = !DIFile(filename: \"a.c\", directory: \"/\")\n"
                             "!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
                             "!3 = distinct !DISubprogram(name: \"f\", file: !1, type: !7, unit: !0, spFlags: "
                             "DISPFlagDefinition)\n"
                             "!4 = !DILocalVariable(name: \"sum\", scope: !3, file: !1, type: !6)\n"
                             "!5 = !DILocation(line: 2, scope: !3)\n"
                             "!6 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n"
                             "!7 = !DISubroutineType(types: !8)\n!8 = !{null}\n";
  static const char source[] = FILTER("  %sum1 = add i32 %sum, %value\n", BRANCH);
  const char *body = strchr(source, '{'), *told = strstr(source, "  %i1 = add");
  char whole[4096];
  snprintf(whole, sizeof whole, "define i32 @f(i32 %%n) !dbg !3 %.*s%s%s%s", (int)(told - body), body, record, told,
           data);
  char *after = joined(whole);
  CHECK(after && strstr(after, "#dbg_value(i32 %"), "the variable is told of: %s", after ? after : whole);
  CHECK(after && !strstr(after, "#dbg_value(i32 %sum1,"), "of the one that is not always there: %s", after);
  free(after);
}

int main(void)
{
  one_by_one();
  left();
  records();
  drawn();
  return check_done("test_latch");
}
