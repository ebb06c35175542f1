/* Activations as memory: each with the values of its function behind it.
   Needs: cells. Leaves: what has ended ready for what begins; all of it freed with the interpreter. */
#ifndef CORO_INTERP_ACTIVATION_H
#define CORO_INTERP_ACTIVATION_H

#include "interp/state.h"

/* With as many values as the function has, copied. NULL: failed. */
struct activation *activation_new(struct interp *in, struct function *function, const struct cell *values);
void activation_end(struct interp *in, struct activation *act);
void activations_free(struct interp *in);

#endif
