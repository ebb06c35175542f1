/* The stage `select_abi`: selects the ABI of a coroutine.
   Requires: a checked shape.
   Guarantees: an ABI that accepts the coroutine, with the arguments it uses. */
#include "abi/abi.h"
#include "abi/hook_module.h"
#include "ir/edit.h"
#include "split/lower.h"

/* Selects the custom ABI that llvm.coro.begin.custom.abi names by its index. */
static coro_status select_abi_by_index(struct coro_lowering *low)
{
  uint64_t index = 0;
  uint32_t begin = low->shape.begin;
  const struct pass_run *run = low->run;
  if (!edit_read_integer_constant(LLVMGetOperand(low->fn.insts[begin], BEGIN_ABI), &index) || index >= run->abi_count)
    return coro_reject(low, "custom-abi", begin, "no ABI is registered under this index",
                       "use llvm.coro.begin, or register an ABI for this index");
  low->abi = run->abis[index];
  if (!(low->abi->ids & 1u << low->shape.abi))
    return coro_reject(low, "custom-abi-of-id", begin,
                       "the ABI registered under this index does not lower coroutines with this kind of id",
                       "derive it from the ABI of the coroutine's id");
  return CORO_OK;
}

/* Selects the ABI of a coroutine without an index in llvm.coro.begin.custom.abi. Queries all ABIs, so that a
   conflict does not depend on their order. */
static coro_status select_abi_by_policies(struct coro_lowering *low)
{
  const struct coro_abi *chosen = NULL;
  for (size_t i = 0; i < low->run->abi_count; i++) {
    const struct coro_abi *abi = low->run->abis[i];
    bool selected = false;
    coro_status status = CORO_OK;
    if (abi->policies.select && abi->ids & 1u << low->shape.abi)
      status = abi->policies.select(&abi->policies, low, &selected);
    if (status != CORO_OK)
      return status;
    if (selected && chosen)
      return coro_reject(low, "one-abi", low->shape.begin,
                         coro_arena_printf(low->arena, "two ABIs select this coroutine: %s and %s",
                                           chosen->policies.name, abi->policies.name),
                         "let only one of them select it, or select one by llvm.coro.begin.custom.abi");
    chosen = selected ? abi : chosen;
  }
  low->abi = chosen ? chosen : low->abi;
  return CORO_OK;
}

coro_status coro_run_select_abi_stage(struct coro_lowering *low)
{
  low->abi = coro_abi_of(low->shape.abi);
  coro_status status = low->shape.custom ? select_abi_by_index(low) : select_abi_by_policies(low);
  if (status == CORO_OK)
    status = low->abi->check(low);
  if (status == CORO_OK && low->abi->policies.check)
    status = low->abi->policies.check(&low->abi->policies, low);
  if (status == CORO_OK)
    status = hook_module_check_coroutine(low);
  if (status == CORO_OK && low->abi->policies.header)
    status = low->abi->policies.header(&low->abi->policies, low);
  if (status == CORO_OK)
    status = hook_module_check_header_values(low);
  if (status != CORO_OK)
    return status;
  low->frame_argument = low->abi->frame_argument ? low->abi->frame_argument(low) : IR_NONE;
  low->passes_error = low->abi->passes_error && low->abi->passes_error(low);
  return CORO_OK;
}
