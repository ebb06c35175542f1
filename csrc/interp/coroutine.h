/* What the files about coroutines share.
   Needs: room.h. Leaves: nothing. */
#ifndef CORO_INTERP_COROUTINE_H
#define CORO_INTERP_COROUTINE_H

#include "interp/room.h"

op_handler run_noop, run_coro_resume, run_coro_destroy, run_done, run_promise, run_await, run_subfn_addr;
/* What slot 0 or 1 of the handle holds; 0 where the execution has ended. */
uint64_t coroutine_slot(struct interp *in, const struct op *op, uint64_t handle, unsigned slot);
/* The operation that the activation stands at is a suspend: executes it. */
void coroutine_suspend_now(struct interp *in, struct activation *act);
void coroutine_end(struct interp *in, const struct op *op, struct coroutine *coroutine); /* it has run to its end */
/* Keeps the activation's values for who goes on at the suspend. */
bool coroutine_keep(struct interp *in, struct activation *act, uint32_t suspend);

#endif
