/* What the caller asked to see of each pass: its row in the report, the module's text, a callback.
   Needs: runner. Leaves: the module as it was. */
#ifndef CORO_PIPELINE_TELL_H
#define CORO_PIPELINE_TELL_H

#include "pipeline/runner.h"

coro_status tell_before(struct runner *r); /* once, in front of all passes: the first of the snapshots */
/* After a pass on a target. ECALLBACK: the caller asked to stop. */
coro_status tell(struct runner *r, coro_pass_info info);

#endif
