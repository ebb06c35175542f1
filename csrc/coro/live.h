/* Live: where each field of the frame holds something that is still needed. The layout shares bytes by it, and reports
   show it: there is no other.
   Places are all suspends, in their order, and behind them wherever a field begins to be needed or is accessed: fields
   that are never live at the same place may have the same bytes.
   Needs: all stages up to the collected frame. Leaves: ranges of places by field. */
#ifndef CORO_CORO_LIVE_H
#define CORO_CORO_LIVE_H

#include "base/bits.h"
#include "graph/pack.h"
#include "pycoro.h"

struct coro_lowering;

struct coro_live {
  struct pack_range *ranges; /* of field f: ranges[start[f]] .. ranges[start[f + 1]), in order, apart from each other */
  uint32_t place_count;
  uint32_t *start; /* NULL: nobody has asked */
  /* By field: it is needed at every place, and has its bytes for itself. So are the lowering's own slots, and the
     promise, which the outside may look at whenever the coroutine is suspended. They have no ranges. */
  struct coro_bits always;
};

coro_status coro_live(struct coro_lowering *low);

#endif
