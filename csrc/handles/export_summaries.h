/* Exports handle summaries: what other modules may know about the handles of this module's coroutines. Overview and
   terms: handle_trace.h.
   Requires: ramp, handle_summary; ramps that still have their coro.ids.
   Guarantees: aliases of f.noalloc, with the summary in their names. */
#pragma once

#include "run/pass.h"

/* Adds a second alias of each f.noalloc that coro-split has exported (attribute "coro-publish"). False: out of
   memory. */
bool export_handle_summaries_as_aliases(struct pass_run *run, bool *changed);
