/* Stage `field_liveness`: live ranges of frame fields. Fields with disjoint ranges may share bytes. The positions
   of the ranges are numbered: all suspends in order, then each point where a field becomes live or is accessed. Used by
   the layout and by reports.
   Requires: all stages up to reload_points.
   Guarantees: live ranges of each field. */
#ifndef CORO_LOWERING_FIELD_LIVENESS_H
#define CORO_LOWERING_FIELD_LIVENESS_H

#include "base/bits.h"
#include "graph/pack.h"
#include "pycoro.h"

struct coro_lowering;

struct coro_field_liveness {
  struct pack_range *ranges; /* of field f: ranges[start[f]] .. ranges[start[f + 1]), sorted and disjoint */
  uint32_t place_count;
  uint32_t *start; /* NULL: not computed */
  /* Set of fields that are live everywhere and share no bytes: header fields, and the promise, which is visible
     outside at every suspend. They have no ranges. */
  struct coro_bits always;
};

coro_status coro_field_liveness(struct coro_lowering *low);

#endif
