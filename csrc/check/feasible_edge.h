/* Finds edges that a clone never takes: those of a branch on a phi of constants, of which none selects the successor;
   and those on which a marker such as llvm.seh.scope.end would unwind to a pad that the lowering has added.
   The clone may lack the edges on which the presplit function has other constants.
   Requires: a walk that has reached the block (simulate.h); blocks that control has not reached may be visited later.
   Guarantees: an edge that may be taken is feasible. */
#pragma once

#include "check/check_data.h"

/* Finds all such edges of a clone whose blocks have been walked: k->infeasible_edges. False: out of memory. */
bool find_infeasible_edges(struct check *c, struct check_clone *k);
/* Whether the clone may take successor `index` of a block. */
bool edge_may_be_feasible(const struct check_clone *k, uint32_t block, unsigned index);
/* The state on the edge from a clone's block to its successor number `index`. */
struct check_state state_on_edge(const struct check *c, const struct check_clone *k, uint32_t block, unsigned index);
/* The presplit block from which control comes on the edges from `from` to `to`; IR_NONE: unknown. */
uint32_t edge_presplit_source_or_none(const struct check *c, const struct check_clone *k, uint32_t from, uint32_t to);
