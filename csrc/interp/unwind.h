/* Exceptions by landing pads.
   Needs: activations. Leaves: control at the landing pad, or an end where nobody catches. */
#ifndef CORO_INTERP_UNWIND_H
#define CORO_INTERP_UNWIND_H

#include "interp/state.h"

void unwind(struct interp *in, const struct op *op); /* the exception in in->thrown, out of the innermost activation */

#endif
