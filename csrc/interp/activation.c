/* Activations as memory: each with the values of its function behind it. Calls come and go too often to ask for memory
   each time, so small ones that have ended are kept for those that begin.
   Needs: cells. Leaves: at most MOST_SPARE kept, none of more than MOST_KEPT cells. */
#include "interp/activation.h"

#include <stdlib.h>
#include <string.h>

#include "interp/cells.h"
#include "interp/fault.h"

enum { MOST_SPARE = 32, MOST_KEPT = 1024 };

/* One that has ended, with room for that many cells, or a new one; what was in it is undefined. */
static struct activation *take(struct interp *in, uint32_t cells)
{
  struct activation *act = in->spare;
  uint32_t room = cells;
  if (act) {
    in->spare = act->parent;
    in->spare_count--;
    if (act->room >= cells)
      return act;
    free(act);
    room = cells < MOST_KEPT / 2 ? 2 * cells : cells; /* those that are kept come to fit most functions */
  }
  act = malloc(sizeof *act + room * sizeof *act->own);
  if (act)
    act->room = room;
  else
    interp_no_memory(in);
  return act;
}

struct activation *activation_new(struct interp *in, struct function *function, const struct cell *values)
{
  struct activation *act = cells_count(in, function) ? take(in, function->cell_count) : NULL;
  if (!act)
    return NULL;
  *act = (struct activation){.function = function, .cells = act->own, .room = act->room};
  memcpy(act->cells, values, function->cell_count * sizeof *values);
  return act;
}

void activation_end(struct interp *in, struct activation *act)
{
  cells_uncount(in, act->function);
  if (in->spare_count == MOST_SPARE || act->room > MOST_KEPT) {
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
