/* Where destroy continues after an exception has ended the coroutine: as the ramp does after the same llvm.coro.end.
   Requires: numbered clones.
   Guarantees: the landing that the lowering claims is only used after it is compared with the presplit function. */
#ifndef CORO_CHECK_EXCEPTION_EXIT_H
#define CORO_CHECK_EXCEPTION_EXIT_H

#include "check/path_equivalence.h"

/* The end whose cleanup an additional landing executes, and the edge into it; IR_NONE: it executes none. */
uint32_t exception_exit_of_landing(const struct check *c, uint32_t landing, struct path_edge *edge);
/* Checks the landing of each end by an exception. Call it after all clones are simulated. */
bool exception_exit_check(struct check *c);

#endif
