/* Values live across a suspend, and the start of their suspend epochs.
   Requires: the whole library. */
#include "stages.h"

static void straight(void)
{
  struct stages s;
  stages_begin(&s, STAGE_crossing, false,
               "define ptr @f(i32 %argument, i32 %early) presplitcoroutine {\n"
               "entry:\n" STAGES_BEGIN "  %before = call i32 @get()\n"
               "  call void @use(i32 %before)\n"
               "  call void @use(i32 %early)\n"
               "  %both = call i32 @get()\n" STAGES_SUSPEND(0, "resume") "resume:\n"
                                                                         "  call void @use(i32 %both)\n"
                                                                         "  %after = add i32 %argument, 1\n"
                                                                         "  call void @use(i32 %after)\n"
                                                                         "  call void @use(i32 %both)\n"
                                                                         "  br label %cleanup\n" STAGES_END);
  const struct coro_crossing *crossing = &s.low.crossing;
  uint32_t both = stages_value(&s, "both"), argument = stages_value(&s, "argument");
  CHECK_NAMES(&s, &crossing->live_across_suspend, " argument both");
  CHECK(crossing->use[both] == stages_first(&s, "resume"), "the first use is said");
  CHECK(crossing->use_node[both] == stages_node(&s, "resume"), "and where it is");
  CHECK(crossing->use[argument] == stages_inst(&s, "after"), "an argument's likewise");
  CHECK(crossing->epoch[stages_node(&s, "entry")] == 0, "the ramp is in its own epoch");
  CHECK(crossing->epoch[stages_node(&s, "resume")] == cfg_landing(&s.low.cfg, 0), "the landing begins one");
  stages_end(&s);
}

/* A phi uses its operand at the end of the predecessor: %next is defined there, %first is not. */
static void loop(void)
{
  struct stages s;
  stages_begin(&s, STAGE_crossing, false,
               "define ptr @f(i32 %n) presplitcoroutine {\n"
               "entry:\n" STAGES_BEGIN "  %first = call i32 @get()\n"
               "  br label %loop\n"
               "loop:\n"
               "  %i = phi i32 [ %first, %entry ], [ %next, %resume ], [ %first, %again ]\n" STAGES_SUSPEND(
                   0, "resume") "resume:\n"
                                "  %next = add i32 %i, 1\n"
                                "  %more = icmp ult i32 %next, 10\n"
                                "  br i1 %more, label %loop, label %again\n"
                                "again:\n"
                                "  br label %loop\n" STAGES_END);
  uint32_t first = stages_value(&s, "first");
  CHECK_NAMES(&s, &s.low.crossing.live_across_suspend, " first i");
  CHECK(s.low.crossing.use[first] == stages_inst(&s, "i"), "the phi needs it");
  CHECK(s.low.crossing.use_node[first] == stages_node(&s, "again"), "at the end of the predecessor");
  stages_end(&s);
}

/* Where paths with and without a suspend meet, a new epoch starts: earlier values must be reloaded. */
static void join(void)
{
  struct stages s;
  stages_begin(&s, STAGE_crossing, false,
               "define ptr @f(i1 %way) presplitcoroutine {\n"
               "entry:\n" STAGES_BEGIN "  %x = call i32 @get()\n"
               "  %unused = call i32 @get()\n" STAGES_SUSPEND(
                   0, "begun") "begun:\n"
                               "  %here = call i32 @get()\n"
                               "  %there = call i32 @get()\n"
                               "  br i1 %way, label %left, label %right\n"
                               "left:\n"
                               "  %a = call i32 @get()\n" STAGES_SUSPEND(
                                   1, "resumed") "resumed:\n"
                                                 "  %b = call i32 @get()\n"
                                                 "  br label %join\n"
                                                 "right:\n"
                                                 "  %c = call i32 @get()\n"
                                                 "  call void @use(i32 %there)\n"
                                                 "  br label %join\n"
                                                 "join:\n"
                                                 "  %d = phi i32 [ %b, %resumed ], [ %c, %right ]\n"
                                                 "  call void @use(i32 %here)\n"
                                                 "  call void @use(i32 %d)\n"
                                                 "  br label %cleanup\n" STAGES_END);
  const uint32_t *epoch = s.low.crossing.epoch;
  CHECK_NAMES(&s, &s.low.crossing.live_across_suspend, " way here");
  CHECK(epoch[stages_node(&s, "join")] == stages_node(&s, "join"), "the join begins an epoch");
  CHECK(epoch[stages_node(&s, "right")] == epoch[stages_node(&s, "begun")], "no epoch starts without a suspend");
  CHECK(epoch[stages_node(&s, "resumed")] != epoch[stages_node(&s, "left")], "the suspend is in between");
  CHECK(s.low.crossing.reload_region == epoch, "without a catchswitch reload regions are epochs");
  stages_end(&s);
}

/* Values that only the ramp uses after a suspend or an end are not spilled. */
static void ramp_alone(void)
{
  struct stages s;
  stages_begin(&s, STAGE_crossing, false,
               "define ptr @f() presplitcoroutine {\n"
               "entry:\n" STAGES_BEGIN "  %x = call i32 @get()\n"
               "  %y = call i32 @get()\n" STAGES_SUSPEND(
                   0, "cleanup") "cleanup:\n"
                                 "  %block = call ptr @llvm.coro.free(token %id, ptr %frame)\n"
                                 "  call void @free(ptr %block)\n"
                                 "  call void @use(i32 %y)\n"
                                 "  br label %end\n"
                                 "end:\n"
                                 "  call void @llvm.coro.end(ptr null, i1 false, token none)\n"
                                 "  call void @use(i32 %x)\n"
                                 "  ret ptr %frame\n"
                                 "}\n");
  CHECK_NAMES(&s, &s.low.crossing.live_across_suspend, " y");
  stages_end(&s);
}

int main(void)
{
  straight();
  loop();
  join();
  ramp_alone();
  return check_done("test_crossing");
}
