/* Initializes globals, and creates the no-op coroutine, before the program runs.
   Requires: constant.h, memory.h. Guarantees: undefined globals have undefined contents. */
#ifndef CORO_INTERP_GLOBALS_INIT_H
#define CORO_INTERP_GLOBALS_INIT_H

#include "interp/state.h"

bool initialize_globals_and_noop_coroutine(struct interp *in); /* false: the execution has ended */

#endif
