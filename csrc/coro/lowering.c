/* Number: the ids that all stages speak of.
   Needs: a function that verifies. Leaves: the function as it was. */
#include "coro/lowering.h"

coro_status coro_number(struct coro_lowering *low)
{
  return ir_number(&low->fn, low->arena, low->function) ? CORO_OK : CORO_ENOMEM;
}
