/* Suspends after an unwind llvm.coro.end, from which a coroutine that an exception ended is destroyed.
   Requires: the whole library. */
#include "stages.h"

/* A coroutine whose body throws, and suspends on the path on which its clones propagate the exception. */
#define THROWS(unwound)                                                                                                \
  "define ptr @f() presplitcoroutine personality ptr @personality {\n"                                                 \
  "entry:\n" STAGES_BEGIN STAGES_SUSPEND(                                                                              \
      0, "resume") "resume:\n"                                                                                         \
                   "  %got = invoke i32 @get() to label %cleanup unwind label %thrown\n"                               \
                   "thrown:\n"                                                                                         \
                   "  %exception = landingpad { ptr, i32 } cleanup\n"                                                  \
                   "  call void @llvm.coro.end(ptr null, i1 true, token none)\n"                                       \
                   "  %ramp = call i1 @llvm.coro.is_in_ramp()\n"                                                       \
                   "  br i1 %ramp, label %rethrow, label %unwound\n"                                                   \
                   "unwound:\n" unwound "rethrow:\n"                                                                   \
                   "  resume { ptr, i32 } %exception\n" STAGES_END

static void destroyed_after_end(void)
{
  struct stages s;
  stages_begin(&s, STAGE_cfg, false,
               THROWS("  %ended = call i8 @llvm.coro.suspend(token none, i1 false)\n"
                      "  %destroyed = icmp eq i8 %ended, 1\n"
                      "  br i1 %destroyed, label %cleanup, label %rethrow\n"));
  const struct coro_cfg *cfg = &s.low.cfg;
  const struct coro_shape *shape = &s.low.shape;
  CHECK(shape->has_unwind_end && shape->suspend_count == 2 && shape->resumed_count == 1, "the second is not resumed");
  CHECK(coro_is_unwound_at(shape, 1) && coro_is_done_at(shape, 1), "it follows the end");
  CHECK(!coro_is_unwound_at(shape, 0) && !coro_is_done_at(shape, 0), "the other does not");
  CHECK(coro_bits_get(&shape->before_suspend, shape->ends.items[0]), "the end is followed by it");
  CHECK(shape->suspends[1].inst == stages_inst(&s, "ended"), "whatever comes between them");
  CHECK(cfg_is_unwound_landing(cfg, cfg_landing(cfg, 1)) && !cfg_is_unwound_landing(cfg, cfg_landing(cfg, 0)),
        "its landing");
  CHECK(cfg->nodes[cfg_landing(cfg, 1)].clone_kinds == (CLONE_DESTROY | CLONE_CLEANUP), "destroy comes in there");
  CHECK(!(cfg->nodes[stages_node(&s, "cleanup")].clone_kinds & CLONE_RAMP) &&
            cfg_has_edge(cfg, cfg_landing(cfg, 1), stages_node(&s, "cleanup"), CLONE_DESTROY),
        "and cleans up");
  stages_end(&s);
}

/* Without such a suspend, the coroutine is destroyed as from its last one. */
static void without_suspend(void)
{
  struct stages s;
  stages_begin(&s, STAGE_cfg, false, THROWS("  br label %rethrow\n"));
  CHECK(s.low.shape.has_unwind_end && s.low.shape.resumed_count == s.low.shape.suspend_count, "no suspend follows");
  stages_end(&s);
}

/* Optimizers may merge such suspends with each other, or with others. */
#define JOINED(other)                                                                                                  \
  "define ptr @f(i1 %c) presplitcoroutine personality ptr @personality {\n"                                            \
  "entry:\n" STAGES_BEGIN STAGES_SUSPEND(0, "resume") "resume:\n"                                                      \
                                                      "  br i1 %c, label %first, label %second\n"                      \
                                                      "first:\n"                                                       \
                                                      "  call void @llvm.coro.end(ptr null, i1 true, token none)\n"    \
                                                      "  br label %joined\n"                                           \
                                                      "second:\n" other "  br label %between\n"                        \
                                                      "between:\n"                                                     \
                                                      "  br label %joined\n"                                           \
                                                      "joined:\n"                                                      \
                                                      "  %ended = call i8 @llvm.coro.suspend(token none, i1 false)\n"  \
                                                      "  %destroyed = icmp eq i8 %ended, 1\n"                          \
                                                      "  br i1 %destroyed, label %cleanup, label %end\n" STAGES_END

static void joined_suspends(void)
{
  struct stages s;
  stages_begin(&s, STAGE_cfg, false, JOINED("  call void @llvm.coro.end(ptr null, i1 true, token none)\n"));
  CHECK(s.low.shape.resumed_count == 1 && !s.low.shape.resumes_after_unwind_end, "it follows both ends");
  CHECK(coro_bits_get(&s.low.shape.before_suspend, s.low.shape.ends.items[0]) &&
            coro_bits_get(&s.low.shape.before_suspend, s.low.shape.ends.items[1]),
        "which are known");
  stages_end(&s);
  stages_begin(&s, STAGE_cfg, false, JOINED(""));
  CHECK(s.low.shape.resumed_count == 2 && s.low.shape.resumes_after_unwind_end, "it is also reached without an end");
  CHECK(!coro_bits_get(&s.low.shape.before_suspend, s.low.shape.ends.items[0]), "it is not for exceptions only");
  stages_end(&s);
}

static void no_exception(void)
{
  struct stages s;
  stages_begin(&s, STAGE_cfg, false,
               "define ptr @f() presplitcoroutine {\n"
               "entry:\n" STAGES_BEGIN STAGES_SUSPEND(0, "cleanup") STAGES_END);
  CHECK(!s.low.shape.has_unwind_end, "only its own llvm.coro.end ends the coroutine");
  CHECK(s.low.cfg.unwound_start == s.low.cfg.unwound_end, "the only landing is that of its suspend");
  stages_end(&s);
}

int main(void)
{
  destroyed_after_end();
  without_suspend();
  joined_suspends();
  no_exception();
  return check_done("test_unwound");
}
