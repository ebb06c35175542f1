/* Analyzes coroutine intrinsics of a function when it is decoded.
   Requires: ir_number_function. Guarantees: results in struct function and in the struct call of each intrinsic call.
   */
#pragma once

#include "interp/state.h"

void analyze_coroutine_intrinsics(struct interp *in, struct function *function);
void decode_coroutine_intrinsic(struct decoding *d, struct call *call);
