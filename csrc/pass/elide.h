/* What coro-elide finds out about a module before it goes from function to function.
   Needs: published. Leaves: the module as it was. */
#ifndef CORO_PASS_ELIDE_H
#define CORO_PASS_ELIDE_H

#include "pass/pass.h"

/* Finds the functions that may start a coroutine, or resume one. False: memory ran out. */
bool elide_look_ahead(struct pass_run *run);

#endif
