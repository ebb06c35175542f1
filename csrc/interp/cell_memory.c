/* Allocates cells (values) with a limit. Small activations are recycled through a free list. */
#include "interp/cell_memory.h"

#include <stdlib.h>
#include <string.h>

#include "interp/execution_error.h"

#define MAX_VALUE_BYTES (UINT64_C(2) << 30)

static uint64_t cells_byte_size_of_activation(const struct function *function)
{
  return (function->cell_count + UINT64_C(1)) * sizeof(struct cell);
}

/* Charges the cells of one activation against the limit, until refund_to_memory_limit. False: limit exceeded. */
static bool charge_to_memory_limit(struct interp *in, const struct function *function)
{
  uint64_t size = cells_byte_size_of_activation(function);
  if (in->value_bytes > MAX_VALUE_BYTES - size)
    return interp_stop_with_error(in, NULL, CORO_ELIMIT, "values-size",
                                  "the values of active calls and suspended coroutines exceed %llu bytes",
                                  (unsigned long long)MAX_VALUE_BYTES);
  in->value_bytes += size;
  interp_charge(in, size);
  return true;
}

static void refund_to_memory_limit(struct interp *in, const struct function *function)
{
  in->value_bytes -= cells_byte_size_of_activation(function);
}

struct cell *cells_copy_saved_activation(struct interp *in, const struct function *function, const struct cell *from)
{
  if (!charge_to_memory_limit(in, function))
    return NULL;
  struct cell *cells = malloc(cells_byte_size_of_activation(function));
  if (!cells) {
    refund_to_memory_limit(in, function);
    return interp_stop_out_of_memory(in);
  }
  memcpy(cells, from, function->cell_count * sizeof *cells);
  return cells;
}

void cells_free_and_refund_to_memory_limit(struct interp *in, const struct function *function, struct cell *cells)
{
  if (cells)
    refund_to_memory_limit(in, function);
  free(cells);
}

struct cell *cells_allocate_scratch(struct interp *in, uint32_t count)
{
  if (count > in->scratch_count) {
    struct cell *more = realloc(in->scratch, count * sizeof *more);
    if (!more)
      return interp_stop_out_of_memory(in);
    in->scratch = more;
    in->scratch_count = count;
  }
  return in->scratch;
}

/* ---- Activations ---- */

enum { MAX_SPARE = 32, MAX_SPARE_CELLS = 1024 };

/* Takes one from the free list, or allocates one; its contents are undefined. */
static struct activation *take_or_allocate_activation(struct interp *in, uint32_t cells)
{
  struct activation *act = in->spare;
  uint32_t room = cells;
  if (act) {
    in->spare = act->parent;
    in->spare_count--;
    if (act->room >= cells)
      return act;
    free(act);
    room = cells < MAX_SPARE_CELLS / 2 ? 2 * cells : cells; /* recycled activations grow to fit most functions */
  }
  act = malloc(sizeof *act + room * sizeof *act->own);
  if (act)
    act->room = room;
  else
    interp_stop_out_of_memory(in);
  return act;
}

/* Copies the function's cells from `values`. NULL: failed. */
struct activation *activation_create(struct interp *in, struct function *function, const struct cell *values)
{
  struct activation *act =
      charge_to_memory_limit(in, function) ? take_or_allocate_activation(in, function->cell_count) : NULL;
  if (!act)
    return NULL;
  *act = (struct activation){.function = function, .cells = act->own, .room = act->room};
  memcpy(act->cells, values, function->cell_count * sizeof *values);
  return act;
}

void activation_return_to_free_list(struct interp *in, struct activation *act)
{
  refund_to_memory_limit(in, act->function);
  if (in->spare_count == MAX_SPARE || act->room > MAX_SPARE_CELLS) {
    free(act);
    return;
  }
  act->parent = in->spare;
  in->spare = act;
  in->spare_count++;
}

void activations_free(struct interp *in)
{
  while (in->spare) {
    struct activation *act = in->spare;
    in->spare = act->parent;
    free(act);
  }
}
