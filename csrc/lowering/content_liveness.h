/* Liveness of an alloca's content across suspends, for allocas that are only loaded and stored as a whole and do not
   escape. Refines alloca.h: such an alloca needs the frame only if a load may see a value stored before a suspend.
   Requires: number, cfg, crossing.
   Guarantees: the function is unchanged. The cost per alloca is linear in the CFG. */
#pragma once

#include "ir/size.h"
#include "lowering/crossing.h"

struct content_walk { /* memory that the walks of all allocas share */
  struct coro_arena *arena;
  const struct ir_fn *fn;
  const struct coro_cfg *cfg;
  const struct coro_crossing *crossing;
  struct ir_sizes *sizes;
  coro_insts stores; /* of the current alloca, in program order */
  struct worklist nodes; /* nodes whose predecessors the walks of the current alloca visit */
};

bool content_walk_init(struct content_walk *content, const struct coro_lowering *low); /* false: out of memory */
/* Whether every access is a load, or a store of `size` bytes, at the alloca's own address; then sorts the accesses. */
bool content_has_only_loads_and_whole_stores(const struct content_walk *content, uint32_t alloca_value, uint64_t size,
                                             coro_insts *accesses_to_sort);
/* Sets *load_or_none to a load that may see a value stored before a suspend, or to IR_NONE. Requires
   content_has_only_loads_and_whole_stores. False: out of memory. */
bool content_find_load_of_value_before_suspend(struct content_walk *content, const coro_insts *accesses,
                                               uint32_t *load_or_none);
