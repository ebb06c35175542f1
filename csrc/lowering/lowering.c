/* The stages `number`, `shape` and `cfg`, each a call of an analysis; the text of the function. */
#include "lowering/lowering.h"

#include "lowering/abi.h"

coro_status coro_run_number_stage(struct coro_lowering *low)
{
  return ir_number_function(&low->fn, low->arena, low->function) ? CORO_OK : CORO_ENOMEM;
}

coro_status coro_run_shape_stage(struct coro_lowering *low)
{
  return coro_shape_find(&low->shape, low->arena, &low->fn, low->table) ? CORO_OK : CORO_ENOMEM;
}

coro_status coro_run_cfg_stage(struct coro_lowering *low)
{
  bool built = cfg_build(&low->cfg, low->arena, &low->fn, &low->shape, low->abi->suspend_returns);
  return built ? CORO_OK : CORO_ENOMEM;
}

bool coro_split_text_once(struct coro_lowering *low, const char *printed)
{
  if (low->text)
    return true;
  low->text = CORO_NEW(low->arena, struct ir_text);
  return low->text && ir_text_split_printed_function(low->text, low->arena, &low->fn, printed);
}
