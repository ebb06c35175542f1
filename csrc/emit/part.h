/* Emission: one part of a coroutine (the ramp, resume, destroy, cleanup, or the continuation of one suspend) as a copy
   of what can be reached in it.
   Needs: a coroutine that passed the check and has a frame layout. Leaves: a function with a body. */
#ifndef CORO_EMIT_PART_H
#define CORO_EMIT_PART_H

#include "emit/emit.h"

/* Gives `function`, a declaration, the body of a clone: of one that is entered at `landing` alone, or (IR_NONE) at any
   landing of its part. False: memory ran out. */
bool emit_clone(struct coro_lowering *low, const struct emit_hooks *hooks, unsigned part, LLVMValueRef function,
                uint32_t landing);
/* Gives `function` the body of the ramp. The coroutine's own function gets it in place of what it had, and is no
   coroutine any more. False: memory ran out. */
bool emit_ramp(struct coro_lowering *low, const struct emit_hooks *hooks, LLVMValueRef function);

#endif
