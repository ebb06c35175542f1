/* Emission: the phis of a part.
   Needs: emission under way. Leaves: phis whose entries come from the part's own blocks, spilled where they stand. */
#ifndef CORO_EMIT_PHIS_H
#define CORO_EMIT_PHIS_H

#include "emit/emit.h"

/* Copies those of `node` to the builder's position, still without entries; the first instruction behind them. */
uint32_t phis_copy(struct emit *e, uint32_t node);
/* Every block of the part is there. False: memory ran out. */
bool phis_fill(struct emit *e);

#endif
