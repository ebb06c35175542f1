/* Specialization by state: functions that test a state, random ones and those that must not change; their behavior is
   unchanged.
   Requires: the whole library. */
#include "changed.h"
#include "loops/jump_thread.h"

enum { DRAWN = 600, MOST_BLOCKS = 7, STATES = 3 };

/* ---- Random functions ---- */

/* Its variables are memory, until LLVM's mem2reg: states %s0 and %s1, numbers %a, %b, %c, and the iterations %t. */
struct drawn {
  struct text text;
  uint64_t random;
  uint32_t blocks, values;
};

static uint32_t below(struct drawn *d, uint32_t most)
{
  return check_below(&d->random, most);
}

static void compute(struct drawn *d)
{
  static const char *const operations[] = {"add", "xor", "sub", "mul"};
  uint32_t v = d->values;
  d->values += 3;
  put(&d->text, "  %%v%u = load i32, ptr %%%c\n  %%v%u = load i32, ptr %%%c\n", (unsigned)v, 'a' + (int)below(d, 3),
      (unsigned)v + 1, 'a' + (int)below(d, 3));
  put(&d->text, "  %%v%u = %s i32 %%v%u, %%v%u\n  store i32 %%v%u, ptr %%%c\n", (unsigned)v + 2,
      operations[below(d, 4)], (unsigned)v, (unsigned)v + 1, (unsigned)v + 2, 'a' + (int)below(d, 3));
}

static void set_state(struct drawn *d)
{
  uint32_t v = d->values++, state = below(d, 2);
  if (below(d, 3))
    put(&d->text, "  store i8 %u, ptr %%s%u\n", (unsigned)below(d, STATES), (unsigned)state);
  else
    put(&d->text, "  %%v%u = load i8, ptr %%s%u\n  store i8 %%v%u, ptr %%s%u\n", (unsigned)v, 1 - (unsigned)state,
        (unsigned)v, (unsigned)state);
}

static unsigned any_block(struct drawn *d)
{
  return (unsigned)below(d, d->blocks);
}

static void leave(struct drawn *d)
{
  unsigned v = (unsigned)d->values, state = (unsigned)below(d, 2);
  d->values += 3;
  switch (below(d, 5)) {
  case 0: put(&d->text, "  br label %%b%u\n", any_block(d)); break;
  case 1:
    put(&d->text, "  %%v%u = load i32, ptr %%%c\n  %%v%u = trunc i32 %%v%u to i1\n", v, 'a' + (int)below(d, 3), v + 1,
        v);
    put(&d->text, "  br i1 %%v%u, label %%b%u, label %%b%u\n", v + 1, any_block(d), any_block(d));
    break;
  case 2:
    put(&d->text, "  %%v%u = load i8, ptr %%s%u\n  %%v%u = icmp %s i8 %%v%u, %u\n", v, state, v + 1,
        below(d, 2) ? "eq" : "ult", v, (unsigned)below(d, STATES));
    put(&d->text, "  br i1 %%v%u, label %%b%u, label %%b%u\n", v + 1, any_block(d), any_block(d));
    break;
  default:
    put(&d->text, "  %%v%u = load i8, ptr %%s%u\n  switch i8 %%v%u, label %%b%u [", v, state, v, any_block(d));
    for (unsigned i = 0; i < STATES; i++)
      put(&d->text, " i8 %u, label %%b%u", i, any_block(d));
    put(&d->text, " ]\n");
  }
}

static void draw(struct drawn *d, uint64_t seed)
{
  *d = (struct drawn){.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
  d->blocks = 2 + below(d, MOST_BLOCKS - 1);
  put(&d->text, "define i32 @f(i32 %%n) {\nentry:\n  %%s0 = alloca i8\n  %%s1 = alloca i8\n");
  put(&d->text, "  %%a = alloca i32\n  %%b = alloca i32\n  %%c = alloca i32\n  %%t = alloca i32\n");
  put(&d->text, "  store i32 0, ptr %%t\n  store i32 %%n, ptr %%a\n  store i32 7, ptr %%b\n  store i32 -3, ptr %%c\n");
  put(&d->text, "  store i8 %u, ptr %%s0\n  store i8 %u, ptr %%s1\n  br label %%b0\n", (unsigned)below(d, STATES),
      (unsigned)below(d, STATES));
  for (uint32_t b = 0; b < d->blocks; b++) {
    unsigned v = (unsigned)d->values;
    d->values += 3;
    put(&d->text, "b%u:\n  %%v%u = load i32, ptr %%t\n  %%v%u = add i32 %%v%u, 1\n  store i32 %%v%u, ptr %%t\n",
        (unsigned)b, v, v + 1, v, v + 1);
    put(&d->text, "  %%v%u = icmp ugt i32 %%v%u, %%n\n  br i1 %%v%u, label %%exit, label %%w%u\nw%u:\n", v + 2, v + 1,
        v + 2, (unsigned)b, (unsigned)b);
    for (uint32_t i = below(d, 4); i-- > 0;)
      compute(d);
    for (uint32_t i = below(d, 3); i-- > 0;)
      set_state(d);
    leave(d);
  }
  put(&d->text, "exit:\n  %%xa = load i32, ptr %%a\n  %%xb = load i32, ptr %%b\n  %%xc = load i32, ptr %%c\n");
  put(&d->text,
      "  %%x = mul i32 %%xa, 31\n  %%y = add i32 %%x, %%xb\n  %%z = mul i32 %%y, 17\n  %%r = xor i32 %%z, %%xc\n");
  put(&d->text, "  ret i32 %%r\n}\n");
}

static void drawn(void)
{
  static const char *const passes[] = {"mem2reg", "mem2reg,simplifycfg",
                                       "mem2reg,gvn,simplifycfg,instcombine<no-verify-fixpoint>",
                                       "mem2reg,jump-threading,loop(loop-rotate),gvn"};
  static struct drawn d;
  int done = 0;
  for (uint64_t seed = 0; seed < DRAWN; seed++) {
    draw(&d, seed);
    done += does_the_same(jump_thread_states, d.text.at, passes[seed % 4]);
  }
  CHECK(done > DRAWN / 4, "of %d drawn functions only %d were specialized", DRAWN, done);
}

/* ---- Handwritten functions ---- */

/* A loop over two states: the work in the first, its terminator, and additional code in the header. */
#define TURNS(head, work, end)                                                                                         \
  "define i32 @f(i32 %n) {\n"                                                                                          \
  "entry:\n  br label %loop\n"                                                                                         \
  "loop:\n"                                                                                                            \
  "  %state = phi i8 [ 0, %entry ], [ %next, %join ]\n"                                                                \
  "  %i = phi i32 [ 0, %entry ], [ %i1, %join ]\n"                                                                     \
  "  %sum = phi i32 [ 0, %entry ], [ %sum1, %join ]\n"                                                                 \
  "  %i1 = add i32 %i, 1\n" head "  switch i8 %state, label %never [ i8 0, label %even i8 1, label %odd ]\n"           \
  "never:\n  unreachable\n"                                                                                            \
  "even:\n" work end "odd:\n  br label %join\n"                                                                        \
  "join:\n"                                                                                                            \
  "  %next = phi i8 [ 1, %even ], [ 0, %odd ]\n"                                                                       \
  "  %add = phi i32 [ %i, %even ], [ 1, %odd ]\n"                                                                      \
  "  %sum1 = add i32 %sum, %add\n"                                                                                     \
  "  %more = icmp ult i32 %i1, %n\n"                                                                                   \
  "  br i1 %more, label %loop, label %exit\n"                                                                          \
  "exit:\n  ret i32 %sum1\n}\n"
#define TO_JOIN "  br label %join\n"

static void is_left(const char *source)
{
  char *after = changed_by(jump_thread_states, source, NULL, NULL);
  CHECK(!after, "%s\nbecame\n%s", source, after);
  free(after);
}

static void left(void)
{
  is_left("declare token @llvm.coro.save(ptr)\n" TURNS("  %k = call token @llvm.coro.save(ptr null)\n", "",
                                                       TO_JOIN)); /* a token has no phi */
  is_left("declare void @once() convergent\n" TURNS("  call void @once()\n", "", TO_JOIN));
  is_left("declare void @once()\n" TURNS("  call void @once() noduplicate\n", "", TO_JOIN));
  is_left("declare i32 @setjmp(ptr) returns_twice\n" TURNS("  %j = call i32 @setjmp(ptr null)\n", "", TO_JOIN));
  is_left(TURNS("  %m = alloca i32\n", "", TO_JOIN)); /* each copy would have a separate alloca */
  is_left("@p = global ptr blockaddress(@f, %join)\n" TURNS("", "", TO_JOIN)); /* its address is taken */
  is_left("define i32 @f(i32 %n) {\n" /* a counter has unboundedly many states */
          "entry:\n  br label %loop\n"
          "loop:\n  %i = phi i32 [ 0, %entry ], [ %i1, %next ]\n  %first = icmp eq i32 %i, 0\n"
          "  br i1 %first, label %next, label %other\n"
          "other:\n  br label %next\n"
          "next:\n  %i1 = add i32 %i, 1\n  %more = icmp ult i32 %i1, %n\n  br i1 %more, label %loop, label %exit\n"
          "exit:\n  ret i32 %i1\n}\n");
  is_left("define i32 @f(i32 %n) {\n" /* both states and edges would form a cycle with two entries */
          "entry:\n  %c = trunc i32 %n to i1\n  br i1 %c, label %loop, label %other\n"
          "other:\n  br label %loop\n"
          "loop:\n  %s = phi i1 [ true, %entry ], [ false, %other ], [ %not, %next ]\n"
          "  %i = phi i32 [ 0, %entry ], [ 0, %other ], [ %i1, %next ]\n  %i1 = add i32 %i, 3\n"
          "  br i1 %s, label %one, label %two\n"
          "one:\n  br label %next\ntwo:\n  br label %next\n"
          "next:\n  %not = phi i1 [ false, %one ], [ true, %two ]\n  %more = icmp ult i32 %i1, %n\n"
          "  br i1 %more, label %loop, label %exit\n"
          "exit:\n  ret i32 %i1\n}\n");
}

/* Makes a loop of that many instructions, all executed in both states. */
static bool grows(uint32_t count)
{
  static struct text text;
  static const char source[] = TURNS("@", "", TO_JOIN);
  const char *at = strchr(source + strlen("define i32 @f"), '@');
  text.length = 0;
  put(&text, "%.*s", (int)(at - source), source);
  for (uint32_t i = 0; i < count; i++)
    put(&text, "  %%w%u = add i32 %%i1, %u\n", (unsigned)i, (unsigned)i);
  put(&text, "%s", at + 1);
  return does_the_same(jump_thread_states, text.at, NULL);
}

static void one_by_one(void)
{
  CHECK(does_the_same(jump_thread_states, TURNS("", "", TO_JOIN), NULL), "a loop over two states");
  CHECK(grows(100) && !grows(300), "not out of proportion");
}
/* A debug record names the copy next to it, and after the loop the result. */
static void records(void)
{
  static const char record[] = "  #dbg_value(i32 %i1, !4, !DIExpression(), !5)\n", end[] = "exit:\n",
                    out[] = "  #dbg_value(i32 %sum1, !4, !DIExpression(), !5)\n",
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
  static const char source[] = TURNS("@", "", TO_JOIN);
  const char *body = strchr(source, '{'), *at = strchr(body, '@'), *rest = strstr(at, end) + strlen(end);
  static struct text text;
  put(&text, "define i32 @f(i32 %%n) !dbg !3 %.*s%s%.*s%s%s%s", (int)(at - body), body, record, (int)(rest - at - 1),
      at + 1, out, rest, data);
  char *after = changed_by(jump_thread_states, text.at, NULL, NULL), *found = after;
  int told = 0;
  for (; found && (found = strstr(found, "#dbg_value(i32 %")); found++)
    told++;
  CHECK(told == 3, "each of two copies, and what is returned, is reported: %s", after ? after : text.at);
  free(after);
}

/* Values inlined into an iteration do not alias within that iteration, but may between two copies of it. */
static void scopes(void)
{
  static const char source[] =
      "declare void @llvm.experimental.noalias.scope.decl(metadata)\n@p = global i32 0\n" TURNS(
          "  call void @llvm.experimental.noalias.scope.decl(metadata !2)\n  %x = load i32, ptr @p, !alias.scope !2\n"
          "  store i32 %i, ptr @p, !noalias !2\n",
          "", TO_JOIN) "!0 = distinct !{!0}\n!1 = distinct !{!1, !0}\n!2 = !{!1}\n";
  char *after = changed_by(jump_thread_states, source, NULL, NULL);
  CHECK(after && strstr(after, "load i32, ptr @p") && !strstr(after, "!alias.scope") && !strstr(after, "!noalias"),
        "%s", after ? after : source);
  free(after);
}

int main(void)
{
  scopes();
  one_by_one();
  left();
  records();
  drawn();
  return check_done("test_specialize");
}
