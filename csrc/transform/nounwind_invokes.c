/* Replaces invokes that never unwind by calls. Linear in blocks, and in the function if one is replaced. */
#include "transform/nounwind_invokes.h"

#include <string.h>

#include "ir/edit.h"
#include "transform/prune.h"
#include "transform/rebuild_call.h"

/* As LLVM's canSimplifyInvokeNoUnwind: `nounwind` excludes only exceptions that calls throw. */
static bool catches_exceptions_of_instructions(LLVMValueRef function)
{
  static const char *const names[] = {
#define LLVM_ASYNCHRONOUS_PERSONALITY(name) name,
#include "llvm_calls.def"
  };
  LLVMValueRef personality =
      LLVMHasPersonalityFn(function) ? edit_strip_casts_and_zero_geps(LLVMGetPersonalityFn(function)) : NULL;
  const char *name = personality ? edit_value_name(personality) : "";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return edit_module_flag_value_or_0(LLVMGetGlobalParent(function), "eh-asynch");
}

static bool is_nounwind_invoke(LLVMValueRef terminator)
{
  return LLVMGetInstructionOpcode(terminator) == LLVMInvoke &&
         edit_call_or_callee_has_function_attribute(terminator, "nounwind");
}

bool nounwind_invokes_replace(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  static const struct call_changes as_call = {.never_unwinds = true};
  bool any = false;
  if (catches_exceptions_of_instructions(function))
    return true;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
    if (!is_nounwind_invoke(terminator))
      continue;
    any = *changed = true;
    if (!rebuild_call(arena, terminator, &as_call))
      return false;
  }
  return !any || prune_after_edges_were_removed(arena, function);
}
