/* The resume-once transformation: random loops with several calls of functions that count and throw; their behavior is
   unchanged.
   Requires: the whole library. */
#include "changed.h"
#include "passes/merge_resume_calls.h"

enum { DRAWN = 600, MOST_WAYS = 6 };

/* Its variables are memory, until LLVM's mem2reg: numbers %x and %y, iterations %t, and the exception, %e. Callees
   count in the frame that is their argument. */
struct drawn {
  struct text text;
  uint64_t random;
};

static const char head[] =
    "@_ZTIi = external constant ptr\n"
    "declare ptr @__cxa_allocate_exception(i64)\ndeclare void @__cxa_throw(ptr, ptr, ptr)\n"
    "declare ptr @__cxa_begin_catch(ptr)\ndeclare void @__cxa_end_catch()\ndeclare i32 @__gxx_personality_v0(...)\n"
    "define internal void @step(ptr %frame) {\n"
    "  %n = load i32, ptr %frame\n  %n1 = add i32 %n, 1\n  store i32 %n1, ptr %frame\n"
    "  %rest = urem i32 %n1, 3\n  %throws = icmp eq i32 %rest, 0\n  br i1 %throws, label %throw, label %back\n"
    "throw:\n  %e = call ptr @__cxa_allocate_exception(i64 4)\n  store i32 %n1, ptr %e\n"
    "  call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null)\n  unreachable\n"
    "back:\n  ret void\n}\n"
    "define internal void @turn(ptr %frame) {\n"
    "  %n = load i32, ptr %frame\n  %n1 = mul i32 %n, 3\n  store i32 %n1, ptr %frame\n  ret void\n}\n"
    "define i32 @f(i32 %count) personality ptr @__gxx_personality_v0 {\n"
    "entry:\n  %a = alloca i32\n  %b = alloca i32\n  %x = alloca i32\n  %y = alloca i32\n  %t = alloca i32\n"
    "  %e = alloca {ptr, i32}\n  store i32 1, ptr %a\n  store i32 2, ptr %b\n  store i32 5, ptr %x\n"
    "  store i32 7, ptr %y\n  store i32 0, ptr %t\n  store {ptr, i32} {ptr null, i32 0}, ptr %e\n  br label %loop\n"
    "loop:\n  %turn = load i32, ptr %t\n  %turn1 = add i32 %turn, 1\n  store i32 %turn1, ptr %t\n"
    "  %more = icmp ult i32 %turn, %count\n  br i1 %more, label %choose, label %exit\n"
    "choose:\n  %cx = load i32, ptr %x\n  %cy = load i32, ptr %y\n  %chosen = xor i32 %cx, %cy\n";
static const char tail[] =
    "to0:\n  %x0 = load i32, ptr %x\n  %x01 = mul i32 %x0, 31\n  store i32 %x01, ptr %x\n  br label %loop\n"
    "to1:\n  %x1 = load i32, ptr %x\n  %x11 = xor i32 %x1, 86\n  store i32 %x11, ptr %x\n  br label %loop\n"
    "lands0:\n  %l = load {ptr, i32}, ptr %e\n  %thrown = extractvalue {ptr, i32} %l, 0\n"
    "  %none = icmp eq ptr %thrown, null\n  br i1 %none, label %loop, label %catch\n"
    "catch:\n  %object = call ptr @__cxa_begin_catch(ptr %thrown)\n  %value = load i32, ptr %object\n"
    "  call void @__cxa_end_catch()\n  %x2 = load i32, ptr %x\n  %x21 = add i32 %x2, %value\n"
    "  store i32 %x21, ptr %x\n  br label %loop\n"
    "lands1:\n  %y2 = load i32, ptr %y\n  %y21 = add i32 %y2, 9\n  store i32 %y21, ptr %y\n  br label %to1\n"
    "pads:\n  %lp = landingpad {ptr, i32} catch ptr null\n  store {ptr, i32} %lp, ptr %e\n  br label %lands0\n"
    "exit:\n  %ra = load i32, ptr %a\n  %rb = load i32, ptr %b\n  %rx = load i32, ptr %x\n  %ry = load i32, ptr %y\n"
    "  %r1 = mul i32 %ra, 31\n  %r2 = add i32 %r1, %rb\n  %r3 = mul i32 %r2, 31\n  %r4 = xor i32 %r3, %rx\n"
    "  %r5 = mul i32 %r4, 31\n  %r6 = add i32 %r5, %ry\n  ret i32 %r6\n}\n";

static unsigned below(struct drawn *d, uint32_t most)
{
  return (unsigned)check_below(&d->random, most);
}

static bool rarely(struct drawn *d)
{
  return !below(d, 6);
}

/* A separate landing pad usually resumes its exception. */
static void draw_pad(struct drawn *d, unsigned way)
{
  put(&d->text, "pad%u:\n  %%l%u = landingpad {ptr, i32} %s\n", way, way,
      rarely(d) ? "catch ptr @_ZTIi catch ptr null" : "catch ptr null");
  if (rarely(d))
    put(&d->text, "  store i32 %u, ptr %%y\n", way);
  if (!rarely(d))
    put(&d->text, "  store {ptr, i32} %%l%u, ptr %%e\n", way);
  put(&d->text, "  br label %%%s\n", rarely(d) ? (below(d, 2) ? "lands1" : "to0") : "lands0");
}

static void draw_way(struct drawn *d, unsigned way)
{
  static const char *const pads[] = {"own", "own", "pads"};
  bool throws = below(d, 4), after = throws && !below(d, 3);
  const char *callee = rarely(d) != throws ? "step" : "turn", *frame = rarely(d) ? "b" : "a";
  const char *attribute = rarely(d) ? " cold" : "", *pad = pads[below(d, 3)];
  unsigned to = rarely(d);
  put(&d->text, "way%u:\n", way);
  for (unsigned i = below(d, 3); i-- > 0;)
    put(&d->text,
        "  %%v%u.%u = load i32, ptr %%%c\n  %%w%u.%u = mul i32 %%v%u.%u, %u\n  store i32 %%w%u.%u, ptr %%%c\n", way, i,
        'x' + (int)below(d, 2), way, i, way, i, 3 + 2 * way, way, i, 'x' + (int)below(d, 2));
  if (!throws) {
    put(&d->text, "  call void @turn(ptr %%%s)%s\n  br label %%to%u\n", frame, attribute, to);
    return;
  }
  put(&d->text, "  invoke void @%s(ptr %%%s)%s to label %%%s%u unwind label %%%s", callee, frame, attribute,
      after ? "after" : "to", after ? way : to, *pad == 'o' ? "pad" : "pads");
  if (*pad == 'o')
    put(&d->text, "%u", way);
  put(&d->text, "\n");
  if (after)
    put(&d->text, "after%u:\n  br label %%to%u\n", way, to);
  if (*pad == 'o')
    draw_pad(d, way);
}

static void draw(struct drawn *d, uint64_t seed)
{
  *d = (struct drawn){.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
  unsigned ways = 3 + below(d, MOST_WAYS - 2);
  put(&d->text, "%s  %%way = urem i32 %%chosen, %u\n  switch i32 %%way, label %%way0 [", head, ways);
  for (unsigned way = 1; way < ways; way++)
    put(&d->text, " i32 %u, label %%way%u", way, way);
  put(&d->text, " ]\n");
  for (unsigned way = 0; way < ways; way++)
    draw_way(d, way);
  put(&d->text, "%s", tail);
}

static void drawn(void)
{
  static struct drawn d;
  int done = 0;
  for (uint64_t seed = 0; seed < DRAWN; seed++) {
    draw(&d, seed);
    done += does_the_same(merge_resume_calls, d.text.at, "mem2reg");
  }
  CHECK(done > DRAWN / 3, "of %d drawn functions only %d had paths that were merged", DRAWN, done);
}

int main(void)
{
  drawn();
  return check_done("test_resume_once");
}
