/* Declarations of all handlers named in tables.
   Requires: nothing. Guarantees: declarations only. */
#pragma once

#include "interp/code.h"
#include "ir/flow.h"

#define OP(opcode, handler, decoder) op_handler handler;
#include "interp/ops.def"
op_decoder decode_without_details, decode_flags, decode_compare, decode_gep, decode_indices, decode_shuffle,
    decode_load_or_store, decode_alloca, decode_branch, decode_call, decode_landing_pad;

#define CORO_OP(name, handler) op_handler handler;
#include "interp/coroutines.def"

op_handler run_with_fast_math_flags; /* for opcodes whose handlers store a result */

#define INTRINSIC(text, handler) op_handler handler;
#include "interp/intrinsics.def"

op_handler *cxx_runtime_handler_or_null(const char *name,
                                        LLVMTypeRef type); /* runtime functions such as __cxa_throw; NULL: none */
