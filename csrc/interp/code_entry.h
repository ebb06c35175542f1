/* Transfers control to the code at an address: a function, a coroutine's resume or destroy function, a continuation, or
   host code.
   Requires: call.h, coroutine.h. Guarantees: the next activation is on top, or the call has finished. */
#pragma once

#include "interp/call.h"

/* Calls the code at an address with one pointer, such as a coroutine's slot. `to_host`: it then returns to the host. */
void enter_code_with_handle(struct interp *in, const struct op *op, uint64_t code, uint64_t handle, bool to_host);
/* Continues at the suspend of a continuation, with flattened arguments. NULL: failed. */
struct activation *enter_continuation(struct interp *in, const struct op *op, const struct code *code,
                                      const struct cell *args, uint32_t count);
/* Calls the code at the callee's address. */
void enter_code_with_operands(struct interp *in, struct activation *act, const struct op *op, struct callee callee);
