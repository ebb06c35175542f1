/* Allocates activations, each with the cells of its function, and the cells of suspended coroutines and phi moves, with
   a limit.
   Requires: decoded functions.
   Guarantees: the total never exceeds the limit; ended activations are recycled; all are freed with the interpreter. */
#pragma once

#include "interp/state.h"

/* Copies the cells of an activation; NULL: failed. */
struct cell *cells_copy_saved_activation(struct interp *in, const struct function *function, const struct cell *from);
void cells_free_and_refund_to_memory_limit(struct interp *in, const struct function *function,
                                           struct cell *cells); /* accepts NULL */
struct cell *cells_allocate_scratch(struct interp *in,
                                    uint32_t count); /* valid until the next jump; NULL: out of memory */

/* Copies the function's cells from `values`. NULL: failed. */
struct activation *activation_create(struct interp *in, struct function *function, const struct cell *values);
void activation_return_to_free_list(struct interp *in, struct activation *act);
void activations_free(struct interp *in);
