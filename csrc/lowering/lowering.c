/* The stages `number`, `shape` and `cfg`, each a call of an analysis. */
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
