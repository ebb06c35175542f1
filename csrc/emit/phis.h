/* Copies phis into the emitted function, and fills in their incoming values when all its blocks exist.
   Requires: emission in progress.
   Guarantees: incoming blocks are those of the function; frame-resident phis are spilled. */
#pragma once

#include "emit/emit.h"

/* Copies the phis of `node` without incoming values. Returns the first instruction after them. */
uint32_t copy_and_spill_phis_without_incoming(struct emit *e, uint32_t node);
/* Adds the incoming values when all blocks exist. False: out of memory. */
bool add_incoming_values_of_phis(struct emit *e);
