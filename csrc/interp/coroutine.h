/* Coroutine objects: created by a ramp activation, saved at suspends, reference-counted by their activations.
   Requires: cell_memory. Guarantees: exactly the handles of existing coroutines are registered. */
#pragma once

#include "interp/state.h"

enum { CORO_SLOT = 8 }; /* size of each of the two slots at a switch-ABI handle */

struct coroutine *coroutine_with_handle(const struct interp *in, uint64_t handle); /* NULL: none */
bool coroutine_create_for_ramp(struct interp *in,
                               struct activation *act); /* makes the activation the ramp of a new coroutine */
/* The coroutine of an activation, if coro.begin was executed; otherwise the execution ends. */
struct coroutine *coroutine_of_activation_after_begin(struct interp *in, const struct activation *act,
                                                      const struct op *op);
/* Saves the activation's values for resumption at the suspend. */
bool coroutine_save_activation(struct interp *in, struct activation *act, uint32_t suspend);
/* Records that the coroutine has ended: its handle is no longer registered. Call when an activation ran to its end
   instead of suspending. */
void coroutine_mark_ended_and_unregister(struct interp *in, struct coroutine *coroutine);
void coroutine_release_from_ending_activation(struct interp *in, const struct op *op, struct activation *act);
void coroutine_release_reference(struct interp *in, const struct op *op, struct coroutine *coroutine);

/* The contents of slot 0 or 1; 0 if the execution has ended. */
uint64_t coroutine_load_nonnull_header_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot);
void coroutine_store_header_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot,
                                 const void *code);
