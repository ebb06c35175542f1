/* Coroutines as long as they live: begun by an activation, kept at a suspend, gone when ended and nothing of them runs.
   Needs: cells. Leaves: the handles of coroutines that live, and of no others, known. */
#ifndef CORO_INTERP_COROUTINE_H
#define CORO_INTERP_COROUTINE_H

#include "interp/state.h"

enum { CORO_SLOT = 8 }; /* bytes of each of the two slots that a handle of the switch ABI points at */

struct coroutine *coroutine_at(const struct interp *in, uint64_t handle); /* NULL */
bool coroutine_enter(struct interp *in, struct activation *act); /* as the ramp of a new coroutine */
/* The coroutine of an activation, when it has begun; else the execution ends. */
struct coroutine *coroutine_begun(struct interp *in, const struct activation *act, const struct op *op);
/* Keeps the activation's values for who goes on at the suspend. */
bool coroutine_keep(struct interp *in, struct activation *act, uint32_t suspend);
/* One of its activations has run to its end. */
void coroutine_end(struct interp *in, struct coroutine *coroutine);
void coroutine_leave(struct interp *in, const struct op *op, struct activation *act); /* the activation ends */
void coroutine_drop(struct interp *in, const struct op *op, struct coroutine *coroutine); /* one reference less */

/* What slot 0 or 1 of the handle holds; 0 where the execution has ended. */
uint64_t coroutine_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot);
void coroutine_set_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot, const void *code);

#endif
