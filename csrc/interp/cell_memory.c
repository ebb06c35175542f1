/* Memory for cells of activations, suspended coroutines and phi moves, with a limit.
   Guarantees: the total never exceeds MAX_VALUES bytes. */
#include "interp/cell_memory.h"

#include <stdlib.h>
#include <string.h>

#include "interp/execution_error.h"

#define MAX_VALUES (UINT64_C(2) << 30)

static uint64_t cells_size(const struct function *function)
{
  return (function->cell_count + UINT64_C(1)) * sizeof(struct cell);
}

bool cells_charge(struct interp *in, const struct function *function)
{
  uint64_t size = cells_size(function);
  if (in->value_bytes > MAX_VALUES - size) {
    interp_fail(in, NULL, CORO_ELIMIT, "values-size",
                "the values of active calls and suspended coroutines exceed %llu bytes",
                (unsigned long long)MAX_VALUES);
    return false;
  }
  in->value_bytes += size;
  interp_charge(in, size);
  return true;
}

void cells_refund(struct interp *in, const struct function *function)
{
  in->value_bytes -= cells_size(function);
}

struct cell *cells_copy(struct interp *in, const struct function *function, const struct cell *from)
{
  if (!cells_charge(in, function))
    return NULL;
  struct cell *cells = malloc(cells_size(function));
  if (!cells) {
    cells_refund(in, function);
    interp_no_memory(in);
    return NULL;
  }
  memcpy(cells, from, function->cell_count * sizeof *cells);
  return cells;
}

void cells_free(struct interp *in, const struct function *function, struct cell *cells)
{
  if (cells)
    cells_refund(in, function);
  free(cells);
}

struct cell *cells_scratch(struct interp *in, uint32_t count)
{
  if (count > in->scratch_count) {
    struct cell *more = realloc(in->scratch, count * sizeof *more);
    if (!more) {
      interp_no_memory(in);
      return NULL;
    }
    in->scratch = more;
    in->scratch_count = count;
  }
  return in->scratch;
}
