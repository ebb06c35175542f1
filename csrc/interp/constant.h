/* Constants as cells.
   Needs: addresses of the module's variables and functions. Leaves: each constant read once. */
#ifndef CORO_INTERP_CONSTANT_H
#define CORO_INTERP_CONSTANT_H

#include "interp/state.h"

const struct cell *constant_cells(struct interp *in, LLVMValueRef constant); /* NULL: unsupported, or failed */

#endif
