/* Wherever a small function is called LLVM inlines it. Where that is done first, no pass goes through it by itself: of
   C++ they are half of all functions.
   Needs: ir. Leaves: noinline on all others, for as long as LLVM's inliner runs. */
#include "pipeline/small.h"

#include "ir/edit.h"

/* In instructions, as LLVM's inliner counts: what a call costs beside its arguments, and how much more a body may. */
enum { CALL = 6, MORE = 3 };

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

static unsigned cost(LLVMValueRef instruction)
{
  bool calls = edit_is_call(instruction) && !LLVMGetIntrinsicID(LLVMGetCalledValue(instruction));
  return calls ? CALL + LLVMGetNumArgOperands(instruction) : 1;
}

/* What ends otherwise than by a return LLVM has reasons of its own for. */
static bool is_small(LLVMValueRef function)
{
  LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(function);
  if (!entry || LLVMGetNextBasicBlock(entry) || !LLVMGetFirstUse(function) || edit_is_presplit(function) ||
      edit_has_attribute(function, on_function, "noinline"))
    return false;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(entry);
  unsigned room = CALL + LLVMCountParams(function) + MORE, sum = 0;
  for (LLVMValueRef at = LLVMGetFirstInstruction(entry); at != end && sum <= room; at = LLVMGetNextInstruction(at))
    sum += cost(at);
  return sum <= room && LLVMIsAReturnInst(end);
}

bool small_any(LLVMModuleRef module)
{
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !any; f = LLVMGetNextFunction(f))
    any = is_small(f);
  return any;
}

static bool is_to_mark(LLVMValueRef function)
{
  return !LLVMIsDeclaration(function) && !edit_has_attribute(function, on_function, "noinline") &&
         !edit_has_attribute(function, on_function, "alwaysinline") && !is_small(function);
}

bool small_begin(struct small *small, struct coro_arena *arena, LLVMModuleRef module)
{
  bool fine = true;
  small->module = module;
  coro_map_init(&small->marked, arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && fine; f = LLVMGetNextFunction(f)) {
    if (!is_to_mark(f))
      continue;
    fine = coro_map_put(&small->marked, coro_map_key(f), true);
    edit_add_attribute(f, on_function, "noinline");
  }
  return fine;
}

void small_end(const struct small *small)
{
  uint64_t marked;
  for (LLVMValueRef f = LLVMGetFirstFunction(small->module); f; f = LLVMGetNextFunction(f))
    if (coro_map_get(&small->marked, coro_map_key(f), &marked))
      edit_remove_attribute(f, on_function, "noinline");
}
