/* Going on at what an address stands for: a function, a part of a coroutine, a continuation, code of the host.
   Needs: call.h, coroutine.h. Leaves: the activation that runs next on top, or the call behind it. */
#ifndef CORO_INTERP_ENTER_H
#define CORO_INTERP_ENTER_H

#include "interp/call.h"

/* Calls what is at an address with one pointer, a coroutine's slot say. */
void enter_with_handle(struct interp *in, const struct op *op, uint64_t code, uint64_t handle, on_return *then);
/* Goes on at a suspend that returned, with flat arguments. NULL: failed. */
struct activation *enter_continuation(struct interp *in, const struct op *op, const struct code *code,
                                      const struct cell *args, uint32_t count);
/* Calls what is at the callee's address. */
void enter_with_operands(struct interp *in, struct activation *act, const struct op *op, struct callee callee);

#endif
