/* What LLVM's passes must not move over a suspend, and would.
   Needs: ir. Leaves: an attribute of calls, for as long as they run. */
#include "pipeline/pin.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "ir/edit.h"

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;
static const char pinned[] = "convergent";

/* From `function` on the first declaration of the intrinsic, of which each address space has its own; NULL: none. */
static LLVMValueRef next_address(LLVMValueRef function)
{
  static const char name[] = "llvm.threadlocal.address";
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  while (function && LLVMGetIntrinsicID(function) != id)
    function = LLVMGetNextFunction(function);
  return function;
}

struct search {
  struct coro_map seen; /* functions */
  CORO_VEC(LLVMValueRef) left; /* functions whose calls are still to be looked at */
};

static bool add(struct coro_arena *arena, struct search *s, LLVMValueRef function)
{
  uint64_t seen;
  return coro_map_get(&s->seen, coro_map_key(function), &seen) ||
         (coro_map_put(&s->seen, coro_map_key(function), 1) && coro_vec_push(arena, &s->left, function));
}

static bool may_be_inlined(LLVMValueRef callee)
{
  return LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) && !edit_has_attribute(callee, on_function, "noinline");
}

/* Pins what is in the function, and finds what may come to be in it. */
static bool pin_in(struct coro_arena *arena, struct search *s, LLVMValueRef function, unsigned id)
{
  bool fine = true;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && fine; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at && fine; at = LLVMGetNextInstruction(at)) {
      LLVMValueRef callee = edit_is_call(at) ? LLVMGetCalledValue(at) : NULL;
      if (callee && LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) == id)
        edit_add_attribute(at, on_function, pinned);
      else if (callee && may_be_inlined(callee))
        fine = add(arena, s, callee);
    }
  return fine;
}

bool pin_threads(struct coro_arena *arena, LLVMModuleRef module, bool *pinned_any)
{
  struct search s = {0};
  LLVMValueRef address = next_address(LLVMGetFirstFunction(module));
  bool fine = true;
  coro_map_init(&s.seen, arena);
  for (LLVMValueRef f = address ? LLVMGetFirstFunction(module) : NULL; f && fine; f = LLVMGetNextFunction(f))
    fine = !edit_is_presplit(f) || add(arena, &s, f);
  while (s.left.count && fine)
    fine = pin_in(arena, &s, s.left.items[--s.left.count], LLVMGetIntrinsicID(address));
  *pinned_any = s.seen.count;
  return fine;
}

void unpin_threads(LLVMModuleRef module)
{
  for (LLVMValueRef f = next_address(LLVMGetFirstFunction(module)); f; f = next_address(LLVMGetNextFunction(f)))
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
      if (edit_is_call(LLVMGetUser(use)))
        edit_remove_attribute(LLVMGetUser(use), on_function, pinned);
}
