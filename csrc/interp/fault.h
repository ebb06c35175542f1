/* How an execution ends early: with one diagnostic about the operation that is being executed.
   Needs: the state. Leaves: the first fault is the one that counts. */
#ifndef CORO_INTERP_FAULT_H
#define CORO_INTERP_FAULT_H

#include "interp/state.h"

void interp_fail(struct interp *in, const struct op *op, coro_status status, const char *rule, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void interp_undefined(struct interp *in, const struct op *op, const char *rule, const char *message);
void interp_no_memory(struct interp *in);
op_handler interp_unsupported;
/* A scalar operand whose every bit is defined; else the execution ends, for `what` depends on it. */
u128 interp_known(struct interp *in, const struct activation *act, const struct op *op, uint32_t k, const char *what);
/* The same for a size in bytes: what does not fit 32 bits is more than there is room for. */
uint64_t interp_known_size(struct interp *in, const struct activation *act, const struct op *op, uint32_t k,
                           const char *what);

#endif
