/* Deletes functions of a wave that have become unused, such as the ramp of a coroutine that is elided in all of its
   callers, and then its f.destroy. LLVM runs globaldce before its passes on a whole module, but a work module has no
   callers, so there its passes would optimize these functions first.
   Requires: cgscc_waves.
   Guarantees: only functions are deleted that globaldce would delete. The cost is proportional to the wave and the uses
   of its functions. */
#pragma once

#include "cgscc/cgscc_waves.h"

/* False: out of memory. */
bool dead_functions_delete_in_wave(struct cgscc_waves *waves);
