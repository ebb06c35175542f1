/* Destruction of a coroutine that an exception ended, and the cleanup that belongs to the ramp only.
   Requires: the whole library. */
#include "stages.h"

/* A coroutine whose body throws; `cleanup` is the ramp's code after the unwind end. */
#define THROWS(cleanup)                                                                                                \
  "define ptr @f() presplitcoroutine personality ptr @personality {\n"                                                 \
  "entry:\n" STAGES_BEGIN STAGES_SUSPEND(                                                                              \
      0, "resume") "resume:\n"                                                                                         \
                   "  %got = invoke i32 @get() to label %cleanup unwind label %thrown\n"                               \
                   "thrown:\n"                                                                                         \
                   "  %exception = landingpad { ptr, i32 } cleanup\n"                                                  \
                   "  %selector = extractvalue { ptr, i32 } %exception, 1\n"                                           \
                   "  call void @llvm.coro.end(ptr null, i1 true, token none)\n"                                       \
                   "  %ramp = call i1 @llvm.coro.is_in_ramp()\n"                                                       \
                   "  br i1 %ramp, label %unmake, label %rethrow\n"                                                    \
                   "unmake:\n" cleanup "  br label %rethrow\n"                                                         \
                   "rethrow:\n"                                                                                        \
                   "  %number = phi i32 [ %selector, %thrown ], [ %copy, %unmake ]\n"                                  \
                   "  %part = insertvalue { ptr, i32 } poison, i32 %number, 1\n"                                       \
                   "  resume { ptr, i32 } %part\n" STAGES_END

static void own_cleanup(void)
{
  struct stages s;
  stages_begin(&s, STAGE_cfg, false,
               THROWS("  %copy = freeze i32 %selector\n"
                      "  %given = call ptr @llvm.coro.free(token %id, ptr %frame)\n"
                      "  call void @free(ptr %given)\n"));
  const struct coro_destroy_after_unwind *unwound = &s.low.destroy_after_unwind;
  const struct coro_cfg *cfg = &s.low.cfg;
  uint32_t thrown = stages_node(&s, "thrown"), unmake = stages_node(&s, "unmake");
  CHECK(unwound->has_unwind_end && !unwound->shared, "only the ramp has the cleanup");
  CHECK(unwound->extra.landing_count == 1, "%u landings", (unsigned)unwound->extra.landing_count);
  CHECK(unwound->extra.landings[0] == stages_inst(&s, "copy"), "destroy begins in the cleanup");
  CHECK(unwound_is_cleanup_block(unwound, s.low.fn.inst_block[stages_inst(&s, "copy")]), "and runs it");
  CHECK(!unwound_is_cleanup_block(unwound, s.low.fn.inst_block[stages_inst(&s, "number")]), "but not what propagates");
  CHECK(cfg_is_ramp_only(cfg, stages_inst(&s, "copy")), "only the ramp computes the exception");
  CHECK(!cfg_is_ramp_only(cfg, stages_inst(&s, "given")), "the free of the frame is not");
  CHECK(cfg->nodes[thrown].hop == cfg->extra_start && cfg_is_extra_landing(cfg, cfg->nodes[thrown].hop),
        "the end is followed by the landing");
  CHECK(cfg_has_edge(cfg, cfg->extra_start, unmake, CLONE_DESTROY), "destroy comes in there");
  CHECK(cfg->nodes[unmake].clone_kinds & CLONE_DESTROY && !(cfg->nodes[unmake].clone_kinds & CLONE_RESUME),
        "and only destroy does");
  CHECK(cfg_clones_return(cfg, cfg->nodes[unmake].block, cfg->nodes[stages_node(&s, "rethrow")].block),
        "where the exception would propagate it returns");
  CHECK(!cfg_has_edge(cfg, unmake, stages_node(&s, "rethrow"), CLONE_ALL_BUT_RAMP), "and does not go on");
  CHECK(cfg_has_edge(cfg, unmake, stages_node(&s, "rethrow"), CLONE_RAMP), "as the ramp does");
  stages_end(&s);
}

/* Code that does not free the frame is no cleanup: destroy frees the frame with available values. */
static void no_cleanup(void)
{
  struct stages s;
  stages_begin(&s, STAGE_cfg, false, THROWS("  %copy = freeze i32 %selector\n"));
  const struct coro_destroy_after_unwind *unwound = &s.low.destroy_after_unwind;
  CHECK(unwound->extra.landing_count == 1 && !unwound->cleanup.size, "none is found");
  CHECK(unwound->extra.landings[0] == stages_inst(&s, "block"), "destroy begins where the frame is freed");
  CHECK(s.low.cfg.nodes[stages_node(&s, "thrown")].hop == s.low.cfg.extra_start, "after this end too");
  stages_end(&s);
}

static void no_exception(void)
{
  struct stages s;
  stages_begin(&s, STAGE_cfg, false,
               "define ptr @f() presplitcoroutine {\n"
               "entry:\n" STAGES_BEGIN STAGES_SUSPEND(0, "cleanup") STAGES_END);
  CHECK(!s.low.destroy_after_unwind.has_unwind_end && !s.low.destroy_after_unwind.extra.landing_count,
        "only its own llvm.coro.end ends the coroutine");
  CHECK(s.low.cfg.extra_start == s.low.cfg.node_count, "the only landing is that of its suspend");
  stages_end(&s);
}

int main(void)
{
  own_cleanup();
  no_cleanup();
  no_exception();
  return check_done("test_unwound");
}
