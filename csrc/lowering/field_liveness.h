/* Stage `field_liveness`: live ranges of frame fields. Fields with disjoint ranges may share bytes. A range is an
   interval of positions. The positions are first the suspends, in order, then the points where a field becomes live or
   is accessed, in reverse post-order of the nodes. With this order most fields have few ranges. The layout, reports
   (low->wants_live) and policies of a custom ABI use the result; the stage is skipped if none of them needs it.
   Requires: all stages up to reload_points.
   Guarantees: live ranges of each field that is not live everywhere. */
#pragma once

#include "base/bits.h"
#include "graph/pack.h"
#include "pycoro.h"

struct coro_lowering;

struct coro_field_liveness {
  struct pack_range *ranges; /* those of field f have the indices [start[f], start[f + 1]), sorted and disjoint */
  uint32_t position_count;
  uint32_t *start; /* NULL: not computed */
  /* Set of fields that are live everywhere, and have no ranges: header fields, the promise, which is visible outside at
     every suspend, the index, the list of heap blocks, and spilled swifterrors. */
  struct coro_bits always;
};

coro_status coro_run_field_liveness_stage(struct coro_lowering *low);
