/* Unwinds to landing pads.
   Requires: activations.
   Guarantees: control is at a landing pad, or the execution has ended if none catches. */
#pragma once

#include "interp/state.h"

void unwind_to_landing_pad(struct interp *in,
                           const struct op *op); /* unwinds in->thrown out of the innermost activation */
