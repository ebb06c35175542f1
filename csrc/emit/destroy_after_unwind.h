/* Destruction after an exception: destroy runs the ramp's exception cleanup as normal code.
   Requires: emission in progress.
   Guarantees: the cleanup is outside of pads, and returns instead of propagating the exception. */
#ifndef CORO_EMIT_DESTROY_AFTER_UNWIND_H
#define CORO_EMIT_DESTROY_AFTER_UNWIND_H

#include "emit/emit.h"

static inline bool emit_is_ramp_only(const struct emit *e, uint32_t inst)
{
  return e->clone_kind != CLONE_RAMP && cfg_is_ramp_only(&e->low->cfg, inst);
}
/* Whether `inst` is not copied, because only the ramp propagates the exception. Terminators are replaced. */
bool emit_skips_propagation(struct emit *e, uint32_t inst, uint32_t node);
/* The call without its funclet bundle, if the function runs the pad's code outside of it; NULL: copy the call. */
LLVMValueRef emit_call_outside_pads(struct emit *e, uint32_t inst);
/* If destroy enters a cleanup that is shared with propagation: records that, so that a later `resume` returns
   instead. */
void emit_landing_after_exception(struct emit *e);
/* Call before `resume` `inst` is copied: in a shared cleanup, returns here if an unwound landing was entered. */
void emit_before_eh_resume(struct emit *e, uint32_t inst);

#endif
