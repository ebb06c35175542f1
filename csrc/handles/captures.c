/* Capture analysis of a pointer: the uses through which it may escape. */
#include "handles/captures.h"

#include "ir/pointer_use.h"

enum use { USE_HARMLESS, USE_SAME_POINTER, USE_ESCAPE };

/* For instance a check of the address's alignment. */
static bool is_only_compared(LLVMValueRef number, bool masked)
{
  for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    enum pointer_use kind = pointer_use_of(user, number);
    bool masks = LLVMGetInstructionOpcode(user) == LLVMAnd && !masked;
    if (kind != POINTER_USE_COMPARE && kind != POINTER_USE_HINT && !(masks && is_only_compared(user, true)))
      return false;
  }
  return true;
}

static enum use classify_use(struct pass_run *run, LLVMValueRef pointer, LLVMValueRef user)
{
  switch (pointer_use_of(user, pointer)) {
  case POINTER_USE_LOAD:
  case POINTER_USE_COMPARE:
  case POINTER_USE_STORE:
  case POINTER_USE_HINT: return USE_HARMLESS;
  case POINTER_USE_ADDRESS: return USE_SAME_POINTER;
  case POINTER_USE_TO_INTEGER: return is_only_compared(user, false) ? USE_HARMLESS : USE_ESCAPE;
  case POINTER_USE_CALL: {
    enum intrin intrin = intrin_of(run->intrin, user);
    return intrin == INTRIN_SUBFN_ADDR || intrin == INTRIN_FREE || intrin == INTRIN_SAVE || intrin_is_lifetime(intrin)
               ? USE_HARMLESS
               : USE_ESCAPE;
  }
  default: return USE_ESCAPE;
  }
}

bool find_capturing_uses(struct pass_run *run, LLVMValueRef pointer, pass_values *uses)
{
  pass_values same = {0};
  bool fine = coro_vec_push(run->arena, &same, pointer);
  for (uint32_t i = 0; i < same.count && fine; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(same.items[i]); use && fine; use = LLVMGetNextUse(use)) {
      enum use kind = classify_use(run, same.items[i], LLVMGetUser(use));
      if (kind == USE_ESCAPE)
        fine = coro_vec_push(run->arena, uses, LLVMGetUser(use));
      else if (kind == USE_SAME_POINTER)
        fine = coro_vec_push(run->arena, &same, LLVMGetUser(use));
    }
  return fine;
}
