/* Selects the functions of a wave that coro-elide visits: those that call the ramp of a split coroutine or have it
   inlined, and thus contain the coroutine's llvm.coro.id.
   Requires: cgscc_waves, ramp.
   Guarantees: later steps of the wave only visit the selected functions. */
#pragma once

#include "cgscc/cgscc_waves.h"

/* Selects functions that call the ramp of a split coroutine, or have it inlined. Returns whether there are any. */
bool coroutine_callers_restrict_and_select_any(struct pass_run *run, struct cgscc_waves *waves);
/* Selects those of the visited functions that a further visit may elide more in, and the clones of the coroutines that
   they create. Returns whether there are any. */
bool coroutine_callers_select_any_again(struct pass_run *run, struct cgscc_waves *waves);
/* Selects those with a new elision, except long functions, which would grow further, and unsplit coroutines, whose
   frames would hold the duplicated state. Returns whether there are any. */
bool coroutine_callers_restrict_and_select_eliding(struct pass_run *run, struct cgscc_waves *waves);
