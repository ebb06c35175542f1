/* Swifterror variables. One is a register while a function runs: it can be loaded, stored and passed on, but its
   address is nowhere. So every part has one of its own, and the frame keeps what it held: it is written there whenever
   the variable may have changed, and read back once, where a clone begins.
   Needs: emission under way. Leaves: the frame's field as the variable is. */
#ifndef CORO_EMIT_SWIFTERROR_H
#define CORO_EMIT_SWIFTERROR_H

#include "emit/emit.h"

/* The variable with a field in the frame that `inst` may change; IR_NONE where there is none. */
uint32_t swifterror_changed(const struct emit *e, uint32_t inst);
/* Writes its content to the frame, at the builder's position; `node` is where that is. */
void swifterror_keep(struct emit *e, uint32_t value, uint32_t node);

#endif
