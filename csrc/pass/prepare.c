/* Prepare: what is changed of a coroutine before it is looked at.
   Needs: a presplit function. Leaves: no suspend that is over before it begins, no address of a block. */
#include "ir/unaddress.h"
#include "pass/lower.h"
#include "pass/simplify.h"

bool lower_would_prepare(const struct pass_run *run, LLVMValueRef function)
{
  return simplify_would(run->intrin, function) || unaddress_would(function);
}

coro_status coro_prepare(struct coro_lowering *low)
{
  bool ok = simplify_suspends(low->arena, low->table, low->function, &low->run->edited) &&
            unaddress_function(low->arena, low->function, &low->run->edited);
  return ok ? CORO_OK : CORO_ENOMEM;
}
