/* Finds the funclet pad that contains each block of a clone, and checks the operand bundles of calls that the lowering
   adds. The code generator treats a call in a pad as unreachable unless its "funclet" bundle names the pad.
   Requires: a simulation in progress; heap_list_find_helpers.
   Guarantees: a claim for each operand of a bundle that a presplit call has. */
#pragma once

#include "check/skipped_code.h"

/* Whether the function has funclet pads. */
bool funclet_has_pads(const struct ir_fn *fn);
/* Checks that the call has the bundles of the presplit call `source`. Without one (NULL), it must have only that of the
   pad that contains the block; the call of an intrinsic has none. False, with an answer: it has not. */
bool funclet_check_bundles_of_call(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source);
