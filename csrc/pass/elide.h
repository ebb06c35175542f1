/* What coro-elide finds out about a module before it goes from function to function.
   Needs: published. Leaves: the module as it was. */
#ifndef CORO_PASS_ELIDE_H
#define CORO_PASS_ELIDE_H

#include "pass/pass.h"

/* Notes which functions may start a coroutine. False: memory ran out. */
bool elide_look_ahead(struct pass_run *run);

#endif
