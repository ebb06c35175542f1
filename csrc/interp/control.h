/* The execution loop, jumps with phis, calls and returns.
   Requires: decoded functions. Guarantees: control_interpret_until_innermost removes every activation above the base,
   also on failure. */
#pragma once

#include "interp/state.h"

/* Executes instructions until `base` is the innermost activation. On an error, the activations above it are removed. */
void control_interpret_until_innermost(struct interp *in, const struct activation *base);
/* `values`: cells of a suspended coroutine; NULL: initial cells. */
struct activation *control_push_activation(struct interp *in, const struct op *op, struct function *function,
                                           enum function_role role, const struct cell *values);
void control_pop_activation(struct interp *in, const struct op *op); /* ends the innermost activation */
const struct op *control_current_instruction(const struct activation *act); /* the operation that it executes */
void control_jump_to_block(struct interp *in, struct activation *act, const struct op *op, uint32_t block);
/* Continues an invoke at its normal destination. */
void branch_to_normal_destination_if_invoke(struct interp *in, struct activation *act, const struct op *op);
/* Returns from the innermost activation through its on_return. */
void control_return_from_activation(struct interp *in, const struct op *op, const struct layout *type,
                                    const struct cell *cells);
on_return return_value_to_caller, return_without_value; /* return to the calling operation */
on_return return_value_to_host; /* return to the host in in->results */
