/* Recognizes the pads that the lowering adds for exceptions that leave a clone at an llvm.coro.end in a pad:

     cleanupret from %pad unwind label %end.pad
   end.pad:
     %out = cleanuppad within none []
     store ptr null, ptr %frame         ; the coroutine is done
     cleanupret from %out unwind to caller

   Requires: a simulation in progress. */
#pragma once

#include "check/skipped_code.h"

/* Whether the cleanupret leaves the clone, possibly by an empty pad that marks the coroutine as done once more. All
   unwind edges of a pad have one destination, so that others of its edges may need a pad. */
bool end_pad_leads_to_caller(const struct check_walk *w, uint32_t cleanup_return);
