/* How often calls marked coro_elide_safe are made, as far as can be told before the program runs.
   Needs: branch. Leaves: the module as it was. */
#ifndef CORO_PASS_FREQUENCY_H
#define CORO_PASS_FREQUENCY_H

#include "pass/pass.h"

/* Puts the marked calls of all coroutines still to be split into run->marked: call -> its place among them in program
   order, from 1, times two, plus 1 where it is rarely made. False: memory ran out. */
bool frequency_of_marked(struct pass_run *run);

#endif
