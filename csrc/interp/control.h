/* The execution loop, jumps with phis, calls and returns.
   Requires: decoded functions. Guarantees: control_run removes every activation above the base, also on failure. */
#ifndef CORO_INTERP_CONTROL_H
#define CORO_INTERP_CONTROL_H

#include "interp/state.h"

void control_run(struct interp *in, const struct activation *base);
/* `values`: cells of a suspended coroutine; NULL: initial cells. */
struct activation *control_push(struct interp *in, const struct op *op, struct function *function,
                                enum function_role role, const struct cell *values);
void control_pop(struct interp *in, const struct op *op);            /* ends the innermost activation */
const struct op *control_at(const struct activation *act);           /* the operation that it executes */
void control_jump(struct interp *in, struct activation *act, const struct op *op, uint32_t block);
/* Continues an invoke at its normal destination. */
void branch_to_normal_destination(struct interp *in, struct activation *act, const struct op *op);
/* Returns from the innermost activation through its on_return. */
void control_return(struct interp *in, const struct op *op, const struct layout *type, const struct cell *cells);
on_return return_value, return_nothing; /* return to the calling operation */
on_return return_host;                  /* return to the host in in->results */

#endif
