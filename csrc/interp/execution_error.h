/* Ends an execution with one diagnostic about the current operation.
   Requires: the state. Guarantees: only the first failure is reported. */
#pragma once

#include "interp/state.h"

/* Return NULL, so that a function can end in `return interp_stop_with_error(...)`. */
void *interp_stop_with_error(struct interp *in, const struct op *op, coro_status status, const char *rule,
                             const char *format, ...) __attribute__((format(printf, 5, 6)));
void *interp_stop_undefined_behavior(struct interp *in, const struct op *op, const char *rule, const char *message);
void *interp_stop_out_of_memory(struct interp *in);
op_handler interp_stop_unsupported;
/* Returns a scalar operand, or ends the execution if a bit is undefined; `what` names the dependent operation. */
u128 interp_read_defined_operand(struct interp *in, const struct activation *act, const struct op *op, uint32_t k,
                                 const char *what);
/* The same for a size in bytes; sizes above 32 bits saturate. */
uint64_t interp_read_size_operand_saturated(struct interp *in, const struct activation *act, const struct op *op,
                                            uint32_t k, const char *what);
