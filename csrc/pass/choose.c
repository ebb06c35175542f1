/* Choose: the ABI that a coroutine is lowered by.
   Needs: shape, as the language reference has it. Leaves: an ABI that has accepted the coroutine, and what it says of
   its arguments. */
#include "abi/abi.h"
#include "ir/edit.h"
#include "pass/lower.h"

/* A frame of a custom ABI begins as any other does. */
static coro_status choose_custom(struct coro_lowering *low)
{
  uint64_t index = 0;
  uint32_t begin = low->shape.begin;
  const struct pass_run *run = low->run;
  if (!edit_constant(LLVMGetOperand(low->fn.insts[begin], BEGIN_ABI), &index) || index >= run->abi_count)
    return coro_reject(low, "custom-abi", begin, "no ABI is registered under the index that is asked for",
                       "use llvm.coro.begin, or give coro-split an ABI for this index");
  low->abi = run->abis[index];
  if (!(low->abi->ids & 1u << low->shape.abi))
    return coro_reject(low, "custom-abi-of-id", begin,
                       "the ABI under the index that is asked for does not lower coroutines of this id",
                       "derive it from the ABI that the coroutine's id belongs to");
  return CORO_OK;
}

coro_status coro_choose(struct coro_lowering *low)
{
  low->abi = coro_abi_of(low->shape.abi);
  coro_status status = low->shape.custom ? choose_custom(low) : CORO_OK;
  if (status == CORO_OK)
    status = low->abi->check(low);
  if (status != CORO_OK)
    return status;
  low->home = low->abi->home ? low->abi->home(low) : IR_NONE;
  low->passes_error = low->abi->passes_error && low->abi->passes_error(low);
  return CORO_OK;
}
