/* What is there before the program runs: the module's variables with their content, the coroutine that does nothing.
   Needs: constant.h, memory.h. Leaves: a variable that nobody defines without content. */
#ifndef CORO_INTERP_LOAD_H
#define CORO_INTERP_LOAD_H

#include "interp/state.h"

bool load_program(struct interp *in); /* false: the execution has ended */

#endif
