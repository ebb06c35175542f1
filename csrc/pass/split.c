/* coro-split: makes a presplit coroutine a ramp and its clones.
   Needs: run->module verifies. Leaves: no suspend in the function; intrinsics that elision and cleanup lower. */
#include "ir/edit.h"
#include "ir/unaddress.h"
#include "pass/diagnose.h"
#include "pass/lower.h"
#include "pass/simplify.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

/* What only says something of a coroutine, in a function that is none. */
static void discard(const struct coro_lowering *low)
{
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (low->shape.intrin[i] == INTRIN_SAVE || low->shape.intrin[i] == INTRIN_END ||
        low->shape.intrin[i] == INTRIN_FRAME)
      edit_replace_by_nothing(low->fn.insts[i]);
}

static bool begins_frame(const struct coro_run *run, LLVMValueRef id)
{
  for (LLVMUseRef use = LLVMGetFirstUse(id); use; use = LLVMGetNextUse(use)) {
    enum intrin intrin = intrin_of(run->intrin, LLVMGetUser(use));
    if (intrin == INTRIN_BEGIN || intrin == INTRIN_BEGIN_CUSTOM_ABI)
      return true;
  }
  return false;
}

/* The coro.id of a frame in the function that no split has seen; NULL where there is none. */
static LLVMValueRef unsplit_id(const struct coro_run *run, LLVMValueRef function)
{
  LLVMValueRef callee = LLVMGetNamedFunction(run->module, intrin_name(INTRIN_ID));
  for (LLVMUseRef use = callee ? LLVMGetFirstUse(callee) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef id = LLVMGetUser(use);
    if (edit_is_call(id) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(id)) == function &&
        !coro_shape_is_split_id(id) && begins_frame(run, id))
      return id;
  }
  return NULL;
}

coro_status coro_pass_split(struct coro_run *run, LLVMValueRef function, bool *changed)
{
  struct coro_lowering low;
  const struct coro_abi *abi;
  if (!edit_has_attribute(function, on_function, "presplitcoroutine")) {
    LLVMValueRef id = unsplit_id(run, function);
    return id ? pass_reject_unmarked(run, function, id) : CORO_OK;
  }
  *changed = true;
  simplify_suspends(run->intrin, function);
  if (!unaddress_function(run->arena, function, changed))
    return CORO_ENOMEM;
  coro_status status = lower_analyse(&low, run, function, &abi);
  if (status != CORO_OK)
    return status;
  if (!abi) {
    discard(&low);
    edit_remove_attribute(function, on_function, "presplitcoroutine");
    return CORO_OK;
  }
  coro_coroutine_info *info;
  status = lower_describe(run, &low, &info);
  if (status == CORO_OK)
    status = abi->split(&low);
  return status == CORO_OK ? lower_report(run, &low, info) : status;
}
