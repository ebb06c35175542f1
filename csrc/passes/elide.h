/* Finds the functions that coro-elide has to visit, once per module.
   Requires: imported_coroutines.
   Guarantees: the module is unchanged. */
#pragma once

#include "run/pass.h"

/* Finds functions that may create or resume a coroutine. False: out of memory. */
bool elide_find_candidates(struct pass_run *run);
