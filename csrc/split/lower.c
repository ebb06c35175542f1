/* Runs the stages of one coroutine in order. */
#include "split/lower.h"

#include "base/clock.h"
#include "base/invariant.h"
#include "ir/edit.h"
#include "llvm-c/Analysis.h"
#include "lowering/check.h"
#include "lowering/layout.h"
#include "lowering/stage_postconditions.h"

static coro_status init_lowering(struct coro_lowering *low, struct pass_run *run, LLVMValueRef function)
{
  const struct layout_strategy *strategy = layout_strategy_for((enum frame_layout)run->parameter, function);
  *low = (struct coro_lowering){.run = run,
                                .module = run->module,
                                .context = run->context,
                                .layout = run->layout,
                                .table = run->intrin,
                                .arena = run->arena,
                                .budget = &run->budget,
                                .diags = run->diags,
                                .function = function,
                                .sizes = CORO_NEW(run->arena, struct ir_sizes),
                                .strategy = strategy,
                                .wants_live = strategy->overlaps || pass_describes(run),
                                .validates_result = run->options->check};
  if (low->sizes)
    ir_sizes_init(low->sizes, low->arena, low->layout);
  return low->sizes ? CORO_OK : CORO_ENOMEM;
}

struct stage {
  const char *name;
  coro_status (*run)(struct coro_lowering *low);
  uint32_t needs;
  void (*holds)(const struct coro_lowering *low); /* checks the stage's post-condition */
};

static void assert_function_verifies(const struct coro_lowering *low)
{
  CORO_INVARIANT(low->arena, !LLVMVerifyFunction(low->function, LLVMReturnStatusAction));
}

/* Runs a stage, and in debug builds checks its post-condition. */
static coro_status run_lowering_stage(const struct stage *stage, struct coro_lowering *low)
{
  coro_status status = stage->run(low);
  if (CORO_DEBUG && stage->holds && status == CORO_OK && !coro_arena_failed(low->arena))
    stage->holds(low);
  const char *bug = coro_arena_internal_error(low->arena);
  if (!bug)
    return status == CORO_OK && coro_arena_failed(low->arena) ? CORO_ENOMEM : status;
  return coro_diags_add(low->diags, &(coro_diag){.status = CORO_EBUG,
                                                 .rule = "invariant",
                                                 .function = edit_value_name(low->function),
                                                 .message = bug,
                                                 .hint = "this is a bug in pycoro; please report it with the input"});
}

coro_status run_stages_through(enum lower_stage last, struct coro_lowering *low, struct pass_run *run,
                               LLVMValueRef function)
{
  static const struct stage stages[] = {
#define LEFT(name) UINT32_C(1) << STAGE_##name
#define CORO_STAGE(name, needs, leaves) {#name, coro_run_##name##_stage, needs, coro_##name##_postcondition},
#define CORO_CHECK(name, needs, asks) {#name, coro_run_##name##_stage, needs, NULL},
#define CORO_WORK(name, needs, leaves) {#name, coro_run_##name##_stage, needs, assert_function_verifies},
#include "lowering/stages.def"
  };
  uint32_t left = 0;
  coro_status status = init_lowering(low, run, function);
  for (unsigned s = 0; s <= last && status == CORO_OK && !(left >> STAGE_shape && coro_does_nothing(low)); s++) {
    CORO_INVARIANT(low->arena, (left & stages[s].needs) == stages[s].needs);
    double began = run->report ? coro_now() : 0;
    status = run_lowering_stage(&stages[s], low);
    if (run->report && !coro_report_add_stage_time(run->report, s, stages[s].name, coro_now() - began))
      status = status ? status : CORO_ENOMEM;
    left |= UINT32_C(1) << s;
  }
  return status;
}
