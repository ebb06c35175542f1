/* Checks allocas outside of the entry block that have one place for all of their executions: memory of an earlier
   execution must not be used after a later one.
   Requires: collected uses. */
#pragma once

#include "check/memory_uses.h"

/* Graph of the presplit blocks, built for the first such alloca. */
struct repeated_allocas {
  struct graph graph;
  struct graph_rpo rpo;
  struct graph_dom dom;
  struct graph_scc scc;
  bool built;
};

/* Whether an alloca is outside of the entry block, and has one place. */
bool repeated_alloca_has_one_place(const struct check *c, const struct check_memory *memory);
/* Proves that no SSA value holds the address of an earlier execution of its alloca. Escaped addresses are the concern
   of the caller: memory_flow.h. */
bool repeated_alloca_check_no_phi_keeps_address(struct check *c, struct repeated_allocas *allocas,
                                                const struct check_memory *memory, const struct memory_uses *uses);
