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

/* The coroutine of an activation, when it has begun; else the execution ends. */
struct coroutine *coroutine_begun(struct interp *in, const struct activation *act, const struct op *op);

/* ---- continuation.c ---- */
op_handler run_suspend_retcon, run_suspend_async, run_async_resume, run_end_async, run_nothing, run_first,
    run_alloca_alloc, run_alloca_free;
/* What a coroutine whose suspends return is known by: the caller's buffer, or the context. */
uint64_t continuation_place(struct interp *in, const struct activation *act, const struct op *op);
void continuation_end(struct interp *in, struct activation *act, const struct op *op, bool unwinds);
/* The suspend that uses the address of its continuation. */
LLVMValueRef continuation_user(const struct interp *in, const struct ir_fn *fn, LLVMValueRef address);

#endif
