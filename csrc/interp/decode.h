/* Functions as arrays of operations.
   Needs: ir_number, the table of opcodes. Leaves: an operation for every instruction that can be reached. */
#ifndef CORO_INTERP_DECODE_H
#define CORO_INTERP_DECODE_H

#include "interp/state.h"

bool function_decode(struct interp *in, struct function *function);

#endif
