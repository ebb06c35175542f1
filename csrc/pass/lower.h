/* The road of one coroutine through the stages; reading lower.c is reading the pipeline.
   Needs: all rooms below. Leaves: see each stage. */
#ifndef CORO_PASS_LOWER_H
#define CORO_PASS_LOWER_H

#include "abi/abi.h"
#include "pass/pass.h"

/* What is changed of a coroutine before it is looked at: suspends that are over before they begin, addresses of blocks.
   What needs neither may be looked at where it stands. */
bool lower_would_prepare(const struct coro_run *run, LLVMValueRef function);
coro_status lower_prepare(struct coro_run *run, LLVMValueRef function);
/* Everything up to the frame's layout; the function stays as it was. low->fn.function is set. *abi is NULL for a
   function that is marked as a coroutine but has neither frame nor suspend. */
coro_status lower_analyse(struct coro_lowering *low, const struct coro_run *run, LLVMValueRef function,
                          const struct coro_abi **abi);
/* Before many coroutines are described: run->printed has the text of them all. It is the caller's to free, whatever the
   status. */
coro_status lower_print(struct coro_run *run);
/* What was found, for the run's report: made while the function is still as it was, handed over once the clones have
   names. *info stays NULL where nobody wants a report. */
coro_status lower_describe(const struct coro_run *run, const struct coro_lowering *low, const struct coro_abi *abi,
                           coro_coroutine_info **info);
coro_status lower_report(const struct coro_run *run, const struct coro_lowering *low, coro_coroutine_info *info);

#endif
