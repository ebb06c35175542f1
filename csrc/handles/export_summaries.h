/* Exports handle summaries: what other modules may know about the handles of this module's coroutines.
   Requires: ramp, handle_summary; ramps that still have their coro.ids.
   Guarantees: aliases of f.noalloc, with the summary in their names. */
#ifndef CORO_HANDLES_EXPORT_SUMMARIES_H
#define CORO_HANDLES_EXPORT_SUMMARIES_H

#include "run/pass.h"

/* Adds an alias of f.noalloc for each coroutine that was exported when it was split. False: out of memory. */
bool export_handle_summaries(struct pass_run *run, bool *changed);

#endif
