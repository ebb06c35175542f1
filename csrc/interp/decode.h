/* Decodes functions to arrays of operations.
   Requires: ir_number_function, the opcode table. Guarantees: an operation for every reachable instruction. */
#pragma once

#include "interp/state.h"

bool function_decode_once(struct interp *in, struct function *function);
