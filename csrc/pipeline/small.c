/* Of C++ half of all functions are small. LLVM inlines them wherever it may, behind all passes over each: where that is
   done first, those that nobody else can name are gone before a pass goes through them.
   Needs: ir. Leaves: the attribute `noinline` of others, for as long as LLVM's inliner runs. */
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

/* Of a body that ends otherwise than by a return LLVM thinks otherwise. */
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

/* The verifier takes no function that is noinline and alwaysinline. */
static bool may_be_marked(LLVMValueRef function)
{
  return !LLVMIsDeclaration(function) && !edit_has_attribute(function, on_function, "noinline") &&
         !edit_has_attribute(function, on_function, "alwaysinline");
}

bool small_begin(struct small *small, struct coro_arena *arena, LLVMModuleRef module)
{
  bool fine = true;
  small->module = module;
  coro_map_init(&small->marked, arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && fine; f = LLVMGetNextFunction(f)) {
    if (!may_be_marked(f) || is_small(f))
      continue;
    fine = coro_map_put(&small->marked, coro_map_key(f), true);
    if (fine)
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
