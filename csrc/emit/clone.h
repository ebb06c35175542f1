/* Emits the ramp, or one clone (resume, destroy, cleanup, or the continuation of one suspend), as a copy of the nodes
   reachable in it.
   Requires: a checked coroutine with a frame layout.
   Guarantees: a function with a body. */
#pragma once

#include "emit/emit.h"

/* Fills the declaration `function` with the body of a clone entered at `landing`, or (IR_NONE) at all landings of
   its kind. False: out of memory. */
bool emit_clone(struct coro_lowering *low, const struct emit_hooks *hooks, unsigned clone_kind, LLVMValueRef function,
                uint32_t landing);
/* Fills `function` with the ramp. If it is the presplit function, the ramp's blocks follow the presplit ones. False:
   out of memory. */
bool emit_ramp(struct coro_lowering *low, const struct emit_hooks *hooks, LLVMValueRef function);
/* Deletes the presplit blocks before the ramp's, and removes the presplitcoroutine attribute. */
void emit_delete_presplit_blocks_and_attribute(const struct coro_lowering *low);
