/* The road of one coroutine through the stages; reading stages.def is reading the lowering.
   Needs: all rooms below. Leaves: see each stage. */
#ifndef CORO_PASS_LOWER_H
#define CORO_PASS_LOWER_H

#include "coro/abi.h"
#include "pass/pass.h"

enum lower_stage {
#define LEFT(name) 0
#define CORO_STAGE(name, needs, leaves) STAGE_##name,
#include "coro/stages.def"
};

/* Takes `function` from the first stage through the last one that is named, or to where there is nothing to lower. Up
   to STAGE_describe it is only read, but for what STAGE_prepare changes. */
coro_status lower_through(enum lower_stage last, struct coro_lowering *low, struct pass_run *run,
                          LLVMValueRef function);
/* STAGE_prepare would change the function: what is only looked at may be looked at where it stands if not. */
bool lower_would_prepare(const struct pass_run *run, LLVMValueRef function);
/* Before so many coroutines are described: run->printed has the text of all where they are many. It is the caller's
   to free, whatever the status. */
coro_status lower_print(struct pass_run *run, uint32_t coroutines);

/* The stages that are the passes' own. */
coro_status coro_prepare(struct coro_lowering *low);
coro_status coro_choose(struct coro_lowering *low);
coro_status coro_describe(struct coro_lowering *low);
coro_status coro_split(struct coro_lowering *low);
coro_status coro_publish(struct coro_lowering *low);

#endif
