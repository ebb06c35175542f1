/* Finds and removes llvm.coro.* intrinsics of later versions of LLVM. LLVM treats them as external functions, so the
   program would not link. */
#include "guards/newer_intrinsics.h"

#include <string.h>

#include "ir/edit.h"
#include "llvm_version.h"
#include "run/diagnose.h"

/* LLVM 23 calls llvm.coro.dead after llvm.coro.free, when the frame is not used any more. The lowering derives that
   from llvm.coro.free. */
static bool is_removable_newer_intrinsic(const char *name)
{
  return !strcmp(name, "llvm.coro.dead");
}

static bool is_unknown_coroutine_intrinsic(const struct pass_run *run, LLVMValueRef function)
{
  return LLVMIsDeclaration(function) && !strncmp(edit_value_name(function), "llvm.coro.", 10) &&
         !LLVMGetIntrinsicID(function) && intrin_of_function(run->intrin, function) == INTRIN_NONE;
}

static coro_status reject_use_of_unknown_intrinsic(struct pass_run *run, LLVMValueRef function)
{
  LLVMValueRef user = LLVMGetUser(LLVMGetFirstUse(function));
  LLVMValueRef at = edit_is_instruction(user) ? user : NULL;
  const char *message = coro_arena_printf(
      run->arena, "%s is not an intrinsic of " LLVM_NAME ", and pycoro cannot lower it", edit_value_name(function));
  return message ? pass_reject_instruction(run, "unknown-intrinsic", at ? edit_function_of(at) : NULL, at, message,
                                           "correct the name if it is misspelled, or compile for " LLVM_NAME)
                 : CORO_ENOMEM;
}

coro_status newer_intrinsics_check(struct pass_run *run)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f))
    if (LLVMGetFirstUse(f) && is_unknown_coroutine_intrinsic(run, f) &&
        !is_removable_newer_intrinsic(edit_value_name(f)))
      return reject_use_of_unknown_intrinsic(run, f);
  return CORO_OK;
}

/* All uses are calls: for a function with an intrinsic's name, the verifier rejects invokes and other uses. */
static bool remove_calls_of_intrinsic(struct pass_run *run, LLVMValueRef function)
{
  LLVMUseRef next;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = next) {
    next = LLVMGetNextUse(use);
    LLVMValueRef call = LLVMGetUser(use);
    if (!edit_is_call_of(call, function) || LLVMGetInstructionOpcode(call) != LLVMCall)
      continue; /* in a module that was not verified */
    if (!pass_mark_modified(run, edit_function_of(call)))
      return false;
    edit_erase_instruction(call);
  }
  if (!LLVMGetFirstUse(function))
    LLVMDeleteFunction(function);
  return true;
}

coro_status newer_intrinsics_remove_calls(struct pass_run *run)
{
  coro_status status = newer_intrinsics_check(run);
  for (LLVMValueRef next, f = LLVMGetFirstFunction(run->module); f && !status; f = next) {
    next = LLVMGetNextFunction(f);
    if (is_unknown_coroutine_intrinsic(run, f) && is_removable_newer_intrinsic(edit_value_name(f)) &&
        !remove_calls_of_intrinsic(run, f))
      status = CORO_ENOMEM;
  }
  return status;
}
