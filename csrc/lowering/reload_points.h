/* Stage `reload_points`: chooses where spilled values are reloaded. That is the nearest common dominator of all uses in
   an epoch, so that other paths do not reload and no register holds the value longer than needed. A reload is not moved
   into a loop that excludes the epoch's head, after the llvm.coro.save of a suspend, because another thread may then
   free the frame, or into a catchswitch block. If fields may share bytes, it is not moved past the definition of
   another spilled value either, so the choice does not depend on the layout. Unoptimized code reloads at the head.
   Requires: crossing, remat, fields.
   Guarantees: a reload point by value, place (crossing.h) and clone. */
#ifndef CORO_LOWERING_RELOAD_POINTS_H
#define CORO_LOWERING_RELOAD_POINTS_H

#include "analysis/cfg.h"
#include "base/map.h"
#include "base/vec.h"

struct coro_lowering;

enum { CORO_RELOAD_CLONES = 3 };
extern const unsigned coro_reload_clones[CORO_RELOAD_CLONES]; /* the clones that reload values */

struct coro_reload {
  uint32_t value, place;
  uint32_t at[CORO_RELOAD_CLONES]; /* nodes; IR_NONE: not used in that clone */
};

struct coro_reload_points {
  CORO_VEC(struct coro_reload) items;
  struct coro_map of; /* (value, place) -> index in items */
};

coro_status coro_reload_points(struct coro_lowering *low);
/* The node at whose head a clone reloads `value` for an epoch; the epoch's head by default. */
uint32_t coro_reload_point(const struct coro_lowering *low, uint32_t value, uint32_t place, unsigned clone_kind);
/* The same for uses in `node`; the epoch's head if the reload point does not dominate the node. */
uint32_t coro_reload_point_for(const struct coro_lowering *low, uint32_t value, uint32_t place, uint32_t node,
                               unsigned clone_kind);

#endif
