/* Finds the funclet pad that contains each block of a clone, and checks the operand bundles of calls that the lowering
   adds. The code generator treats a call in a pad as unreachable unless its "funclet" bundle names the pad.
   Requires: a simulation in progress. Guarantees: a claim for each operand of a bundle that a presplit call has. */
#ifndef CORO_CHECK_FUNCLET_H
#define CORO_CHECK_FUNCLET_H

#include "check/skipped_code.h"

/* Whether the function has funclet pads. */
bool funclet_has_pads(const struct ir_fn *fn);
/* Whether the cleanupret leaves the clone, possibly by an empty pad that marks the coroutine as done once more. All
   unwind edges of a pad have one destination, so that others of its edges may need a pad. */
bool funclet_unwinds_to_caller(const struct check_walk *w, uint32_t cleanup_return);
/* Checks that the call has the bundles of the presplit call `source`. Without one (NULL), it must have only that of the
   pad that contains the block; the call of an intrinsic has none. False, with an answer: it has not. */
bool funclet_check_call(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source);

#endif
