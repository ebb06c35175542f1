/* Escapes: by which uses someone may keep a pointer.
   Needs: ir. Leaves: the function as it was. */
#include "pass/escapes.h"

#include "ir/edit.h"
#include "ir/operand.h"

enum use { USE_HARMLESS, USE_SAME_POINTER, USE_ESCAPE };

static enum use use_of(struct pass_run *run, LLVMValueRef pointer, LLVMValueRef user)
{
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMLoad:
  case LLVMICmp: return USE_HARMLESS;
  case LLVMStore: return LLVMGetOperand(user, STORE_VALUE) == pointer ? USE_ESCAPE : USE_HARMLESS;
  case LLVMGetElementPtr:
  case LLVMBitCast: return USE_SAME_POINTER;
  case LLVMCall:
  case LLVMInvoke: {
    enum intrin intrin = intrin_of(run->intrin, user);
    return intrin == INTRIN_SUBFN_ADDR || intrin == INTRIN_FREE || intrin == INTRIN_SAVE || intrin_is_lifetime(intrin)
               ? USE_HARMLESS
               : USE_ESCAPE;
  }
  default: return USE_ESCAPE;
  }
}

bool pass_escapes(struct pass_run *run, LLVMValueRef pointer, pass_values *uses)
{
  pass_values same = {0};
  bool fine = coro_vec_push(run->arena, &same, pointer);
  for (uint32_t i = 0; i < same.count && fine; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(same.items[i]); use && fine; use = LLVMGetNextUse(use)) {
      enum use kind = use_of(run, same.items[i], LLVMGetUser(use));
      if (kind == USE_ESCAPE)
        fine = coro_vec_push(run->arena, uses, LLVMGetUser(use));
      else if (kind == USE_SAME_POINTER)
        fine = coro_vec_push(run->arena, &same, LLVMGetUser(use));
    }
  return fine;
}
