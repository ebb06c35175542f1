/* Allocates activations, each with the cells of its function. Small ones are recycled through a free list. */
#include "interp/activation.h"

#include <stdlib.h>
#include <string.h>

#include "interp/cell_memory.h"
#include "interp/execution_error.h"

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

struct activation *activation_create(struct interp *in, struct function *function, const struct cell *values)
{
  struct activation *act =
      cells_charge_to_memory_limit(in, function) ? take_or_allocate_activation(in, function->cell_count) : NULL;
  if (!act)
    return NULL;
  *act = (struct activation){.function = function, .cells = act->own, .room = act->room};
  memcpy(act->cells, values, function->cell_count * sizeof *values);
  return act;
}

void activation_return_to_free_list(struct interp *in, struct activation *act)
{
  cells_refund_to_memory_limit(in, act->function);
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
