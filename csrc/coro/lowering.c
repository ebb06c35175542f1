/* Numbers the values, instructions and blocks of the function. All stages use these ids.
   Requires: a function that verifies.
   Guarantees: the function is unchanged. */
#include "coro/lowering.h"

coro_status coro_number(struct coro_lowering *low)
{
  return ir_number(&low->fn, low->arena, low->function) ? CORO_OK : CORO_ENOMEM;
}
