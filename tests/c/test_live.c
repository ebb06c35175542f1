/* Live ranges of fields in suspends, and fields that share bytes because of them.
   Requires: the whole library. */
#include "stages.h"

static uint32_t field_of(const struct stages *s, const char *name)
{
  return s->low.frame.of_value[stages_value(s, name)];
}

/* Returns the suspends at which the field is live, as bits; the first places are the suspends. */
static unsigned suspends_of(const struct stages *s, const char *name)
{
  const struct coro_field_liveness *live = &s->low.field_liveness;
  uint32_t field = field_of(s, name);
  unsigned suspends = 0;
  for (uint32_t r = live->start[field]; r < live->start[field + 1]; r++)
    for (uint32_t k = live->ranges[r].first; k < live->ranges[r].end && k < s->low.shape.suspend_count; k++)
      suspends |= 1u << k;
  return suspends;
}

static uint64_t offset_of(const struct stages *s, const char *name)
{
  return s->low.frame.fields[field_of(s, name)].offset;
}

/* Checks that ranges are sorted, not empty and disjoint. */
static void check_ranges(const struct stages *s)
{
  const struct coro_field_liveness *live = &s->low.field_liveness;
  for (uint32_t field = 0; field < s->low.frame.field_count; field++)
    for (uint32_t r = live->start[field]; r < live->start[field + 1]; r++) {
      CHECK(live->ranges[r].first < live->ranges[r].end, "range %u", (unsigned)r);
      CHECK(r == live->start[field] || live->ranges[r - 1].end < live->ranges[r].first, "range %u", (unsigned)r);
    }
}

/* %x lives across the first suspend, %y across the second, %both across the two, %later across the second again. */
static const char phases[] = "define ptr @f() presplitcoroutine {\n"
                             "entry:\n" STAGES_BEGIN "  %both = call i32 @get()\n"
                             "  %x = call i32 @get()\n" STAGES_SUSPEND(
                                 0, "one") "one:\n"
                                           "  call void @use(i32 %x)\n"
                                           "  %y = call i32 @get()\n" STAGES_SUSPEND(
                                               1, "two") "two:\n"
                                                         "  call void @use(i32 %y)\n"
                                                         "  call void @use(i32 %both)\n"
                                                         "  %z = call i32 @get()\n" STAGES_SUSPEND(
                                                             2, "three") "three:\n"
                                                                         "  call void @use(i32 %z)\n"
                                                                         "  br label %cleanup\n" STAGES_END;

static void values(void)
{
  struct stages s;
  stages_begin(&s, STAGE_layout, true, phases);
  check_ranges(&s);
  CHECK(suspends_of(&s, "x") == 1, "x: %x", suspends_of(&s, "x"));
  CHECK(suspends_of(&s, "y") == 2, "y: %x", suspends_of(&s, "y"));
  CHECK(suspends_of(&s, "z") == 4, "z: %x", suspends_of(&s, "z"));
  CHECK(suspends_of(&s, "both") == 3, "both: %x", suspends_of(&s, "both"));
  CHECK(offset_of(&s, "x") == offset_of(&s, "y"), "fields that are live one after another share bytes");
  CHECK(offset_of(&s, "both") != offset_of(&s, "x"), "fields that are live at the same time do not");
  stages_end(&s);
  stages_begin(&s, STAGE_layout, false, phases);
  CHECK(!s.low.field_liveness.start, "not requested");
  CHECK(offset_of(&s, "x") != offset_of(&s, "y"), "fields share no bytes unless requested");
  stages_end(&s);
}

/* %x is read in every iteration of a loop, %i is carried by it, %y is used after it. */
static void loop(void)
{
  struct stages s;
  stages_begin(&s, STAGE_layout, true,
               "define ptr @f(i1 %way) presplitcoroutine {\n"
               "entry:\n" STAGES_BEGIN "  %x = call i32 @get()\n"
               "  br label %loop\n"
               "loop:\n"
               "  %i = phi i32 [ 0, %entry ], [ %next, %round ]\n" STAGES_SUSPEND(
                   0, "round") "round:\n"
                               "  call void @use(i32 %x)\n"
                               "  %next = add i32 %i, 1\n"
                               "  %more = icmp ult i32 %next, 10\n"
                               "  br i1 %more, label %loop, label %over\n"
                               "over:\n"
                               "  %y = call i32 @get()\n" STAGES_SUSPEND(1, "last") "last:\n"
                                                                                    "  call void @use(i32 %y)\n"
                                                                                    "  br label %cleanup\n" STAGES_END);
  check_ranges(&s);
  CHECK(suspends_of(&s, "x") == 1, "x: %x", suspends_of(&s, "x"));
  CHECK(suspends_of(&s, "i") == 1, "i: %x", suspends_of(&s, "i"));
  CHECK(suspends_of(&s, "y") == 2, "y: %x", suspends_of(&s, "y"));
  CHECK(offset_of(&s, "x") != offset_of(&s, "i"), "both are live in the loop");
  stages_end(&s);
}

/* %scoped has a lifetime, %known escapes and has none, %array is accessed in a few places. */
static void variables(void)
{
  struct stages s;
  stages_begin(&s, STAGE_layout, true,
               "define ptr @f(i64 %n) presplitcoroutine {\n"
               "entry:\n"
               "  %scoped = alloca [4 x i32]\n"
               "  %next = alloca [4 x i32]\n"
               "  %known = alloca [4 x i32]\n"
               "  %array = alloca [4 x i32]\n" STAGES_BEGIN "  call void @llvm.lifetime.start.p0(ptr %scoped)\n"
               "  call void @keep(ptr %scoped)\n" STAGES_SUSPEND(
                   0, "one") "one:\n"
                             "  call void @keep(ptr %scoped)\n"
                             "  call void @llvm.lifetime.end.p0(ptr %scoped)\n"
                             "  call void @keep(ptr %known)\n"
                             "  call void @llvm.lifetime.start.p0(ptr %next)\n"
                             "  call void @keep(ptr %next)\n"
                             "  %at = getelementptr i32, ptr %array, i64 %n\n"
                             "  store i32 1, ptr %at\n" STAGES_SUSPEND(
                                 1, "two") "two:\n"
                                           "  %loaded = load i32, ptr %array\n"
                                           "  call void @llvm.lifetime.end.p0(ptr %next)\n" STAGES_SUSPEND(
                                               2, "three") "three:\n"
                                                           "  br label %cleanup\n" STAGES_END);
  check_ranges(&s);
  CHECK(suspends_of(&s, "scoped") == 1, "scoped: %x", suspends_of(&s, "scoped"));
  CHECK(suspends_of(&s, "next") == 2, "next: %x", suspends_of(&s, "next"));
  CHECK(suspends_of(&s, "known") == 6, "known: %x", suspends_of(&s, "known"));
  CHECK(suspends_of(&s, "array") == 2, "array: %x", suspends_of(&s, "array"));
  CHECK(offset_of(&s, "scoped") == offset_of(&s, "next") || offset_of(&s, "scoped") == offset_of(&s, "known") ||
            offset_of(&s, "scoped") == offset_of(&s, "array"),
        "what is over leaves its bytes to another");
  CHECK(offset_of(&s, "next") != offset_of(&s, "known") && offset_of(&s, "next") != offset_of(&s, "array") &&
            offset_of(&s, "known") != offset_of(&s, "array"),
        "what is needed at once is apart");
  stages_end(&s);
}

/* Between two suspends both are live, at neither of them. */
static void overlap(void)
{
  struct stages s;
  stages_begin(&s, STAGE_layout, true,
               "define ptr @f() presplitcoroutine {\n"
               "entry:\n"
               "  %first = alloca [4 x i32]\n"
               "  %second = alloca [4 x i32]\n" STAGES_BEGIN "  call void @llvm.lifetime.start.p0(ptr %first)\n"
               "  call void @keep(ptr %first)\n" STAGES_SUSPEND(
                   0, "one") "one:\n"
                             "  call void @llvm.lifetime.start.p0(ptr %second)\n"
                             "  call void @keep(ptr %second)\n"
                             "  call void @llvm.lifetime.end.p0(ptr %first)\n" STAGES_SUSPEND(
                                 1, "two") "two:\n"
                                           "  call void @keep(ptr %second)\n"
                                           "  call void @llvm.lifetime.end.p0(ptr %second)\n"
                                           "  br label %cleanup\n" STAGES_END);
  check_ranges(&s);
  CHECK(suspends_of(&s, "first") == 1, "first: %x", suspends_of(&s, "first"));
  CHECK(suspends_of(&s, "second") == 2, "second: %x", suspends_of(&s, "second"));
  CHECK(offset_of(&s, "first") != offset_of(&s, "second"), "the bytes are not reused too early");
  stages_end(&s);
}

/* The promise is live at all suspends. */
static void promise(void)
{
  struct stages s;
  stages_begin(&s, STAGE_layout, true,
               "define ptr @f() presplitcoroutine {\n"
               "entry:\n"
               "  %promise = alloca i32\n"
               "  %id = call token @llvm.coro.id(i32 0, ptr %promise, ptr null, ptr null)\n"
               "  %size = call i32 @llvm.coro.size.i32()\n"
               "  %memory = call ptr @malloc(i32 %size)\n"
               "  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)\n"
               "  %x = call i32 @get()\n" STAGES_SUSPEND(0, "one") "one:\n"
                                                                   "  call void @use(i32 %x)\n"
                                                                   "  br label %cleanup\n" STAGES_END);
  uint32_t field = field_of(&s, "promise");
  CHECK(field == s.low.frame.promise_field, "the promise has its field");
  CHECK(coro_bits_get(&s.low.field_liveness.always, field), "it is always needed");
  CHECK(s.low.field_liveness.start[field] == s.low.field_liveness.start[field + 1], "and has no ranges");
  CHECK(!coro_bits_get(&s.low.field_liveness.always, field_of(&s, "x")), "a spill is not");
  stages_end(&s);
}

int main(void)
{
  values();
  loop();
  variables();
  overlap();
  promise();
  return check_done("test_live");
}
