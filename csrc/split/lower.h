/* Runs the stages of a lowering (stages.def) on one coroutine, up to a given stage.
   Requires: all directories below. */
#pragma once

#include "lowering/abi.h"
#include "run/pass.h"

enum lower_stage {
#define LEFT(name) 0
#define CORO_STAGE(name, needs, leaves) STAGE_##name,
#include "lowering/stages.def"
};

/* Runs `function` through the stages up to `last`, or until there is nothing to lower. Up to STAGE_describe the
   function is not modified, except by STAGE_prepare. */
coro_status run_stages_through(enum lower_stage last, struct coro_lowering *low, struct pass_run *run,
                               LLVMValueRef function);
/* Whether STAGE_prepare may modify the function; otherwise it can be analyzed in place. */
bool lower_prepare_may_modify(const struct pass_run *run, LLVMValueRef function);
/* Call before describing this many coroutines. If there are many, prints the module into run->printed, because
   printing functions one by one would number the whole module each time. The caller frees it, whatever the status. */
coro_status lower_print_module_if_many(struct pass_run *run, uint32_t coroutines);

/* Stages implemented here. */
coro_status coro_run_prepare_stage(struct coro_lowering *low);
coro_status coro_run_select_abi_stage(struct coro_lowering *low);
coro_status coro_run_describe_stage(struct coro_lowering *low);
coro_status coro_run_split_stage(struct coro_lowering *low);
coro_status coro_run_publish_stage(struct coro_lowering *low);
