/* Pass instrumentation after each pass: its row in the report, a snapshot of the module's text, the client's callback.
   Requires: runner.
   Guarantees: the module is unchanged. */
#pragma once

#include "pipeline/runner.h"

coro_status
instrumentation_take_first_snapshot(struct runner *r); /* call before the first pass: takes the first snapshot */
/* Call after a pass on a target. ECALLBACK: the client requested to stop. */
coro_status instrumentation_after_pass(struct runner *r, coro_pass_info info);
