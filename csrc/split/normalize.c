/* The stage `prepare`: normalizes a presplit function before analysis.
   Requires: a presplit function.
   Guarantees: no suspend that never returns to the caller, no blockaddress, no branch on a constant, in optimized code
   no duplicate terminating landing pads, no `tail` call where memory of llvm.coro.alloca.alloc is on the stack. */
#include "ir/edit.h"
#include "split/lower.h"
#include "split/simplify_suspends.h"
#include "transform/lower_blockaddress.h"
#include "transform/prune.h"
#include "transform/tailcall.h"
#include "transform/terminating_pads.h"

static bool calls_coro_alloca_alloc(const struct intrin_table *table, LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (intrin_of_call(table, at) == INTRIN_ALLOCA_ALLOC)
        return true;
  return false;
}

/* Not in unoptimized code, which debuggers step through line by line. */
static bool may_share_landing_pads(LLVMValueRef function)
{
  return !edit_has_function_attribute(function, "optnone");
}

bool lower_prepare_may_modify(const struct pass_run *run, LLVMValueRef function)
{
  return has_simplifiable_suspend(run->intrin, function) || lower_blockaddress_is_needed(function) ||
         prune_has_constant_branch(function) || calls_coro_alloca_alloc(run->intrin, function) ||
         (may_share_landing_pads(function) && terminating_pads_have_duplicates(run->arena, function));
}

coro_status coro_run_prepare_stage(struct coro_lowering *low)
{
  bool ok = simplify_suspends(low->arena, low->table, low->function, &low->run->function_changed) &&
            lower_blockaddress_in_function(low->arena, low->function, &low->run->function_changed) &&
            (!prune_has_constant_branch(low->function) ||
             prune_fold_and_delete_unreachable(low->arena, low->function,
                                               &low->run->function_changed)); /* unreachable code has no uses */
  ok = ok && (!may_share_landing_pads(low->function) ||
              terminating_pads_merge(low->arena, low->function, &low->run->function_changed));
  if (ok && calls_coro_alloca_alloc(low->table, low->function) && tailcall_remove_tail_markers(low->function))
    low->run->function_changed = true;
  return ok ? CORO_OK : CORO_ENOMEM;
}
