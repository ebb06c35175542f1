/* coro-split: makes a presplit coroutine a ramp and its clones.
   Needs: run->module verifies. Leaves: no suspend in the function; intrinsics that elision and cleanup lower. */
#include "ir/edit.h"
#include "pass/calls.h"
#include "pass/diagnose.h"
#include "pass/lower.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

/* What only says something of a coroutine, in a function that is none. */
static void discard(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (low->shape.intrin[i] == INTRIN_SAVE || low->shape.intrin[i] == INTRIN_END ||
        low->shape.intrin[i] == INTRIN_FRAME)
      edit_replace_by_nothing(low->fn.insts[i]);
}

/* llvm.coro.prepare.* keeps optimisers from looking through to a coroutine that is not split yet. */
static bool undo_prepares(const struct coro_run *run, LLVMValueRef function)
{
  pass_values prepares = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    enum intrin intrin = intrin_of(run->intrin, LLVMGetUser(use));
    if ((intrin == INTRIN_PREPARE_RETCON || intrin == INTRIN_PREPARE_ASYNC) &&
        !coro_vec_push(run->arena, &prepares, LLVMGetUser(use)))
      return false;
  }
  for (uint32_t i = 0; i < prepares.count; i++)
    edit_replace(prepares.items[i], function);
  return true;
}

coro_status coro_pass_split(struct coro_run *run, LLVMValueRef function, bool *changed)
{
  struct coro_lowering low;
  const struct coro_abi *abi;
  if (!edit_has_attribute(function, on_function, "presplitcoroutine"))
    return pass_check_marked(run, function);
  *changed = true;
  coro_status status = lower_prepare(run, function);
  if (status == CORO_OK)
    status = lower_analyse(&low, run, function, &abi);
  if (status != CORO_OK)
    return status;
  if (!abi) {
    discard(&low);
    edit_remove_attribute(function, on_function, "presplitcoroutine");
    return CORO_OK;
  }
  coro_coroutine_info *info;
  status = lower_describe(run, &low, abi, &info);
  if (status == CORO_OK)
    status = abi->split(&low);
  if (status == CORO_OK && !undo_prepares(run, function))
    status = CORO_ENOMEM;
  return status == CORO_OK ? lower_report(run, &low, info) : status;
}
