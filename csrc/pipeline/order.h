/* The order in which CGSCC passes visit functions.
   Needs: graph, LLVM-C. Leaves: functions with a body, callees before their callers; those that call each other in
   module order. */
#ifndef CORO_PIPELINE_ORDER_H
#define CORO_PIPELINE_ORDER_H

#include "pass/calls.h"

/* `ready`: without the coroutines that call, be it through others, a coroutine that is to be split before them. False:
   memory ran out. */
bool pass_order(struct pass_run *run, pass_values *functions, bool ready);

#endif
