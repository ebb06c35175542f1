/* Allocates activations, each with the cells of its function.
   Requires: cell_memory. Guarantees: ended activations are recycled; all are freed with the interpreter. */
#pragma once

#include "interp/state.h"

/* Copies the function's cells from `values`. NULL: failed. */
struct activation *activation_create(struct interp *in, struct function *function, const struct cell *values);
void activation_return_to_free_list(struct interp *in, struct activation *act);
void activations_free(struct interp *in);
