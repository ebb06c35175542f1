/* The stage `prepare`: normalizes a presplit function before analysis.
   Requires: a presplit function.
   Guarantees: no suspend that never returns to the caller, no blockaddress, no branch on a constant, in optimized code
   no duplicate terminating landing pads, no `tail` call where memory of llvm.coro.alloca.alloc is on the stack. */
#include "ir/edit.h"
#include "ir/last_pads.h"
#include "ir/prune.h"
#include "ir/tailcall.h"
#include "ir/unaddress.h"
#include "pass/lower.h"
#include "pass/simplify.h"

static bool has_storage(const struct intrin_table *table, LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (edit_is_call(at) && intrin_of(table, at) == INTRIN_ALLOCA_ALLOC)
        return true;
  return false;
}

/* Not in unoptimized code, which debuggers step through line by line. */
static bool may_share_pads(LLVMValueRef function)
{
  return !edit_has_attribute(function, (unsigned)LLVMAttributeFunctionIndex, "optnone");
}

bool lower_would_prepare(const struct pass_run *run, LLVMValueRef function)
{
  return simplify_would(run->intrin, function) || unaddress_would(function) || prune_knows_a_way(function) ||
         has_storage(run->intrin, function) || (may_share_pads(function) && last_pads_alike(run->arena, function));
}

coro_status coro_prepare(struct coro_lowering *low)
{
  bool ok = simplify_suspends(low->arena, low->table, low->function, &low->run->edited) &&
            unaddress_function(low->arena, low->function, &low->run->edited) &&
            (!prune_knows_a_way(low->function) ||
             prune_function(low->arena, low->function, &low->run->edited)); /* unreachable code has no uses */
  ok = ok && (!may_share_pads(low->function) || last_pads_join(low->arena, low->function, &low->run->edited));
  if (ok && has_storage(low->table, low->function) && tailcall_drop(low->function))
    low->run->edited = true;
  return ok ? CORO_OK : CORO_ENOMEM;
}
