/* Control: the loop that executes, jumps with their phis, calls and returns as a list of activations on the heap.
   Needs: decoded functions. Leaves: every activation above the base gone, whatever happened. */
#ifndef CORO_INTERP_CONTROL_H
#define CORO_INTERP_CONTROL_H

#include "interp/state.h"

void control_run(struct interp *in, const struct activation *base);
/* With the values of a suspended coroutine, or with none: NULL. */
struct activation *control_push(struct interp *in, const struct op *op, struct function *function, enum part part,
                                const struct cell *values);
void control_pop(struct interp *in, const struct op *op);            /* ends the innermost activation */
const struct op *control_at(const struct activation *act);           /* what it executes, a call say */
void control_jump(struct interp *in, struct activation *act, const struct op *op, uint32_t block);
void call_finished(struct interp *in, struct activation *act, const struct op *op); /* an invoke goes on */
/* Returns from the innermost activation, as its on_return says. */
void control_return(struct interp *in, const struct op *op, const struct layout *type, const struct cell *cells);
on_return return_value, return_nothing; /* to the operation that called */
on_return return_host;                  /* to in->results */

#endif
