/* coro-split: splits a presplit coroutine into a ramp and clones.
   Requires: run->module verifies.
   Guarantees: no suspend in the function; intrinsics for elision and cleanup remain. */
#include "abi/split.h"

#include "ir/edit.h"
#include "run/diagnose.h"
#include "run/passes.h"
#include "split/lower.h"

/* Removes intrinsics without effect from a function that is not a coroutine. */
static void remove_save_end_frame_and_presplit(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (low->shape.intrin[i] == INTRIN_SAVE || low->shape.intrin[i] == INTRIN_END ||
        low->shape.intrin[i] == INTRIN_FRAME)
      edit_erase_instruction(low->fn.insts[i]);
  edit_remove_function_attribute(low->function, "presplitcoroutine");
}

coro_status coro_run_split_stage(struct coro_lowering *low)
{
  return abi_split(low);
}

coro_status coro_pass_split(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct coro_lowering low;
  if (!edit_is_presplit_definition(function))
    return pass_check_marked(run, function);
  *changed = true;
  coro_status status = run_stages_through(STAGE_publish, &low, run, function);
  if (status == CORO_OK && coro_does_nothing(&low))
    remove_save_end_frame_and_presplit(&low);
  return status;
}
