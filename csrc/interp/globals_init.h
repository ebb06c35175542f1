/* Initializes globals, and creates the no-op coroutine, before the program runs.
   Requires: constant.h, memory.h. Guarantees: undefined globals have undefined contents. */
#pragma once

#include "interp/state.h"

bool initialize_globals_and_noop_coroutine(struct interp *in); /* false: the execution has ended */
