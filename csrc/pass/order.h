/* The order in which CGSCC passes visit functions.
   Needs: graph, LLVM-C. Leaves: functions with a body, callees before their callers; those that call each other in
   module order. */
#ifndef CORO_PASS_ORDER_H
#define CORO_PASS_ORDER_H

#include "pass/calls.h"

bool pass_order(struct coro_run *run, pass_values *functions); /* false: memory ran out */

#endif
