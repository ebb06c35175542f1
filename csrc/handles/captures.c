/* Capture analysis of a pointer: the uses through which it may escape. */
#include "handles/captures.h"

#include <string.h>

#include "ir/edit.h"
#include "ir/operand.h"

enum use { USE_HARMLESS, USE_SAME_POINTER, USE_ESCAPE };

/* Whether the callee is a sanitizer handler, which receives the address as an integer. The names are reserved. */
static bool is_handler(LLVMValueRef callee)
{
  static const char prefix[] = "__ubsan_handle_";
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  return LLVMIsDeclaration(callee) && length > sizeof prefix - 1 && memcmp(name, prefix, sizeof prefix - 1) == 0 &&
         LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(callee))) == LLVMVoidTypeKind;
}

bool is_non_capturing_hint(LLVMValueRef call)
{
  static const char *const names[] = {"llvm.assume", "llvm.fake.use", "llvm.is.constant", "llvm.objectsize"};
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (!LLVMIsAFunction(callee))
    return false;
  unsigned id = LLVMGetIntrinsicID(callee);
  for (size_t i = 0; id && i < sizeof names / sizeof *names; i++)
    if (id == LLVMLookupIntrinsicID(names[i], strlen(names[i])))
      return true;
  return !id && is_handler(callee);
}

/* For instance a check of the address's alignment. */
static bool is_only_compared(LLVMValueRef number, bool masked)
{
  for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool masks = LLVMGetInstructionOpcode(user) == LLVMAnd && !masked;
    if (!LLVMIsAICmpInst(user) && !(edit_is_call(user) && is_non_capturing_hint(user)) &&
        !(masks && is_only_compared(user, true)))
      return false;
  }
  return true;
}

static enum use classify_use(struct pass_run *run, LLVMValueRef pointer, LLVMValueRef user)
{
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMLoad:
  case LLVMICmp: return USE_HARMLESS;
  case LLVMStore: return LLVMGetOperand(user, STORE_VALUE) == pointer ? USE_ESCAPE : USE_HARMLESS;
  case LLVMGetElementPtr:
  case LLVMBitCast: return USE_SAME_POINTER;
  case LLVMPtrToInt: return is_only_compared(user, false) ? USE_HARMLESS : USE_ESCAPE;
  case LLVMCall:
  case LLVMInvoke: {
    enum intrin intrin = intrin_of(run->intrin, user);
    return intrin == INTRIN_SUBFN_ADDR || intrin == INTRIN_FREE || intrin == INTRIN_SAVE ||
                   intrin_is_lifetime(intrin) || is_non_capturing_hint(user)
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
