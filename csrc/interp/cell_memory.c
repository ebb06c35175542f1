/* Allocates the cells (values) of activations, suspended coroutines and phi moves, with a limit. */
#include "interp/cell_memory.h"

#include <stdlib.h>
#include <string.h>

#include "interp/execution_error.h"

#define MAX_VALUE_BYTES (UINT64_C(2) << 30)

static uint64_t cells_byte_size_of_activation(const struct function *function)
{
  return (function->cell_count + UINT64_C(1)) * sizeof(struct cell);
}

bool cells_charge_to_memory_limit(struct interp *in, const struct function *function)
{
  uint64_t size = cells_byte_size_of_activation(function);
  if (in->value_bytes > MAX_VALUE_BYTES - size) {
    interp_stop_with_error(in, NULL, CORO_ELIMIT, "values-size",
                           "the values of active calls and suspended coroutines exceed %llu bytes",
                           (unsigned long long)MAX_VALUE_BYTES);
    return false;
  }
  in->value_bytes += size;
  interp_charge(in, size);
  return true;
}

void cells_refund_to_memory_limit(struct interp *in, const struct function *function)
{
  in->value_bytes -= cells_byte_size_of_activation(function);
}

struct cell *cells_copy_saved_activation(struct interp *in, const struct function *function, const struct cell *from)
{
  if (!cells_charge_to_memory_limit(in, function))
    return NULL;
  struct cell *cells = malloc(cells_byte_size_of_activation(function));
  if (!cells) {
    cells_refund_to_memory_limit(in, function);
    interp_stop_out_of_memory(in);
    return NULL;
  }
  memcpy(cells, from, function->cell_count * sizeof *cells);
  return cells;
}

void cells_free(struct interp *in, const struct function *function, struct cell *cells)
{
  if (cells)
    cells_refund_to_memory_limit(in, function);
  free(cells);
}

struct cell *cells_allocate_scratch(struct interp *in, uint32_t count)
{
  if (count > in->scratch_count) {
    struct cell *more = realloc(in->scratch, count * sizeof *more);
    if (!more) {
      interp_stop_out_of_memory(in);
      return NULL;
    }
    in->scratch = more;
    in->scratch_count = count;
  }
  return in->scratch;
}
