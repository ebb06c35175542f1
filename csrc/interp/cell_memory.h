/* Allocates the cells of activations, suspended coroutines and phi moves, with a limit.
   Requires: decoded functions.
   Guarantees: the total never exceeds the limit. */
#pragma once

#include "interp/state.h"

/* Charges the cells of one activation against the limit, until cells_refund_to_memory_limit. False: limit exceeded. */
bool cells_charge_to_memory_limit(struct interp *in, const struct function *function);
void cells_refund_to_memory_limit(struct interp *in, const struct function *function);
/* Copies the cells of an activation; NULL: failed. */
struct cell *cells_copy_saved_activation(struct interp *in, const struct function *function, const struct cell *from);
void cells_free(struct interp *in, const struct function *function, struct cell *cells); /* accepts NULL */
struct cell *cells_allocate_scratch(struct interp *in,
                                    uint32_t count); /* valid until the next jump; NULL: out of memory */
