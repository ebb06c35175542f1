/* Stage `reload_points`: chooses where spilled values are reloaded. That is the nearest common dominator of all uses in
   a reload region (crossing.h), so that other paths do not reload and no register holds the value longer than needed. A
   reload is not moved
   - into a loop that excludes the region's head;
   - after the llvm.coro.save of a suspend, because another thread may then free the frame;
   - into a catchswitch block, or where the frame may be freed;
   - past the definition of another spilled value, if fields may share bytes: the later stage `layout` may give both
     values the same bytes.
   In functions with `optnone` reloads are at the head. So is the reload if the search for a common dominator takes more
   than 64 steps up the dominator tree for a use.
   Requires: crossing, remat, fields.
   Guarantees: a reload point by value, region and kind of clone; none where a phi merges the value. */
#pragma once

#include "analysis/cfg.h"
#include "base/map.h"
#include "base/vec.h"

struct coro_lowering;

/* CLONE_RESUME, CLONE_DESTROY, CLONE_CLEANUP (cfg.h); several clones may have the kind CLONE_RESUME. */
enum { CORO_RELOAD_CLONE_KINDS = 3 };
extern const unsigned coro_reload_clone_kinds[CORO_RELOAD_CLONE_KINDS];

struct coro_reload {
  uint32_t value, region; /* the region's head */
  uint32_t at[CORO_RELOAD_CLONE_KINDS]; /* nodes, by kind of clone; IR_NONE: not used in it */
};

struct coro_reload_points {
  CORO_VEC(struct coro_reload) items;
  struct coro_map of; /* (value, region) -> index in items */
};

coro_status coro_run_reload_points_stage(struct coro_lowering *low);
/* The node at whose head a clone reloads `value` for its uses in a region; by default the region's head. */
uint32_t coro_reload_point_or_region(const struct coro_lowering *low, uint32_t value, uint32_t region,
                                     unsigned clone_kind);
/* The same for uses in `node`. If the reload point does not dominate the node, the region's head: for example for a
   debug record, which the choice of the point did not consider. */
uint32_t coro_reload_point_or_region_for_node(const struct coro_lowering *low, uint32_t value, uint32_t region,
                                              uint32_t node, unsigned clone_kind);
