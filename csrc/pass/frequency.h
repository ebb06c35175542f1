/* How often calls marked coro_elide_safe are made, as far as can be told before the program runs.
   Needs: branch. Leaves: the module as it was. */
#ifndef CORO_PASS_FREQUENCY_H
#define CORO_PASS_FREQUENCY_H

#include "pass/calls.h"

/* Puts the marked calls of coroutines still to be split into run->marked: call -> its place among them in program order,
   from 1, times two, plus 1 where it is rarely made. `callees`: of those alone that call one of these; NULL: of all.
   False: memory ran out. */
bool frequency_of_marked(struct pass_run *run, const pass_values *callees);

#endif
