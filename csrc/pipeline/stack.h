/* Variables on the stack, where the module's target has them.
   Needs: diagnose. Leaves: the module as it was. */
#ifndef CORO_PIPELINE_STACK_H
#define CORO_PIPELINE_STACK_H

#include "pass/pass.h"

/* pycoro's passes make variables in the address space that the data layout names for them. Where LLVM's verifier takes
   none there on the module's target, the module is refused: EREJECTED, ENOMEM. */
coro_status stack_check(struct pass_run *run);

#endif
