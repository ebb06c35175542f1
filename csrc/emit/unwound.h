/* Emission: what a clone does with the ramp's cleanup, when it destroys a coroutine that an exception has ended.
   Needs: emission under way. Leaves: the cleanup outside of pads, returning where the exception would propagate. */
#ifndef CORO_EMIT_UNWOUND_H
#define CORO_EMIT_UNWOUND_H

#include "emit/emit.h"

static inline bool emit_is_ramp_only(const struct emit *e, uint32_t inst)
{
  return e->part != PART_RAMP && cfg_is_ramp_only(&e->low->cfg, inst);
}
/* True where the part passes `inst` over: the exception is the ramp's to propagate. A terminator is replaced. */
bool emit_passes_over(struct emit *e, uint32_t inst, uint32_t node);
/* The call without its bundles where this part runs a pad's instructions outside of it; NULL: it is copied as others
   are. */
LLVMValueRef emit_call_outside_pads(struct emit *e, uint32_t inst);
/* Where the cleanup is shared: destroy begins with it, and comes to a `resume` of the source, where it returns if it
   did. */
void emit_unwound_landing(struct emit *e);
void emit_before_eh_resume(struct emit *e, uint32_t inst);

#endif
