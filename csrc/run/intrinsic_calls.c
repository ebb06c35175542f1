/* Lists the functions that call coroutine intrinsics, from the intrinsics' use lists, and the calls of one function,
   from its instructions. */
#include "run/intrinsic_calls.h"

#include "ir/edit.h"

bool pass_list_functions_with_coro_intrinsics(struct pass_run *run, pass_values *functions)
{
  struct coro_map users;
  coro_map_init(&users, run->arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f)) {
    if (!LLVMIsDeclaration(f) || !intrin_is_coro(intrin_of_function(run->intrin, f)))
      continue;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
      if (!edit_is_instruction(LLVMGetUser(use)))
        continue;
      LLVMValueRef user = edit_function_of(LLVMGetUser(use));
      if (!coro_map_put(&users, coro_map_key(user), 1))
        return false;
    }
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && users.count; f = LLVMGetNextFunction(f))
    if (coro_map_has(&users, coro_map_key(f)) && !coro_vec_push(run->arena, functions, f))
      return false;
  return true;
}

bool pass_list_coro_intrinsic_calls(struct pass_run *run, LLVMValueRef function, pass_values *calls)
{
  calls->count = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
      if (intrin_is_coro(intrin_of_call(run->intrin, at)) && !coro_vec_push(run->arena, calls, at))
        return false;
  return true;
}
