/* A pass of the caller's on one target.
   Needs: settle, targets. Leaves: the module as the pass wants it, verified as far as the next pass needs. */
#ifndef CORO_PIPELINE_CALLERS_H
#define CORO_PIPELINE_CALLERS_H

#include "pipeline/targets.h"

/* Whatever is refused of the caller's passes before a string that may name them is read: names that are none, are one
   of pycoro's, or are given twice, and passes without a function. EUSAGE. */
coro_status callers_check(const struct pipe_callers *callers, struct coro_arena *arena, coro_diags *diags);
/* `function` is NULL for the module, and is not NULL where the pass is one on coroutines and it is none. What stood
   anywhere of functions and instructions is not to be used any more where *changed. */
coro_status callers_run(struct runner *r, const struct pipe_node *node, LLVMValueRef function, coro_change *changed);

#endif
