/* Finds trivial functions, and adds a temporary noinline to all others; see early_inline.h. */
#include "cgscc/early_inline.h"

#include "ir/edit.h"

/* In instructions, as LLVM's inliner counts: cost of a call without its arguments, and the tolerance for a body. */
enum { CALL_COST = 6, MAX_GROWTH = 3 };

static unsigned inline_cost_of_instruction(LLVMValueRef instruction)
{
  bool calls = edit_is_call(instruction) && !LLVMGetIntrinsicID(LLVMGetCalledValue(instruction));
  return calls ? CALL_COST + LLVMGetNumArgOperands(instruction) : 1;
}

/* Whether the body costs about as much as a call of it and ends in a return; LLVM's cost model differs for other
   terminators. */
static bool is_trivial_to_inline(LLVMValueRef function)
{
  LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(function);
  if (!entry || LLVMGetNextBasicBlock(entry) || !LLVMGetFirstUse(function) || edit_is_presplit_definition(function) ||
      edit_has_function_attribute(function, "noinline"))
    return false;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(entry);
  unsigned room = CALL_COST + LLVMCountParams(function) + MAX_GROWTH, sum = 0;
  for (LLVMValueRef at = LLVMGetFirstInstruction(entry); at != end && sum <= room; at = LLVMGetNextInstruction(at))
    sum += inline_cost_of_instruction(at);
  return sum <= room && LLVMIsAReturnInst(end);
}

bool early_inline_has_candidate(LLVMModuleRef module)
{
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !any; f = LLVMGetNextFunction(f))
    any = is_trivial_to_inline(f);
  return any;
}

/* The verifier rejects noinline with alwaysinline. */
static bool may_be_noinline(LLVMValueRef function)
{
  return !LLVMIsDeclaration(function) && !edit_has_function_attribute(function, "noinline") &&
         !edit_has_function_attribute(function, "alwaysinline");
}

bool early_inline_add_noinline(struct early_inline *inlining, struct coro_arena *arena, LLVMModuleRef module)
{
  bool fine = true;
  inlining->module = module;
  coro_map_init(&inlining->marked, arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && fine; f = LLVMGetNextFunction(f)) {
    if (!may_be_noinline(f) || is_trivial_to_inline(f))
      continue;
    fine = coro_map_put(&inlining->marked, coro_map_key(f), true);
    if (fine)
      edit_add_function_attribute(f, "noinline");
  }
  return fine;
}

void early_inline_remove_noinline(const struct early_inline *inlining)
{
  uint64_t marked;
  for (LLVMValueRef f = LLVMGetFirstFunction(inlining->module); f; f = LLVMGetNextFunction(f))
    if (coro_map_get(&inlining->marked, coro_map_key(f), &marked))
      edit_remove_function_attribute(f, "noinline");
}
