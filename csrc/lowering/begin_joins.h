/* Finds blocks of the ramp where paths with llvm.coro.begin join paths without it, for instance after an allocation
   that may fail: the iterated dominance frontier of llvm.coro.begin. After such a join a frame-resident alloca is in
   the frame or still on the stack, depending on the path. csrc/emit selects its address by a phi at the join, of one
   address per predecessor; a further join has a phi of its own.
   Requires: cfg.
   Guarantees: for each node the nearest dominating join. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct coro_lowering;

/* Indexed by node: the last such join that dominates it; IR_NONE if all its paths agree. NULL: there are no joins.
   False: out of memory. */
bool coro_find_begin_join_of_each_node(const struct coro_lowering *low, uint32_t **begin_joins);
