/* Values of more elements than LLVM's passes come to an end with.
   Needs: diagnose. Leaves: the module as it was. */
#ifndef CORO_PIPELINE_VAST_H
#define CORO_PIPELINE_VAST_H

#include "base/map.h"
#include "pass/pass.h"

/* LLVM's passes take values of structs and arrays apart, element by element, in this process. One of so many elements
   that they take gigabytes, or never end, is refused: EREJECTED, ENOMEM. `counted` remembers types, and is empty at
   first. Memory may be as large as it likes. */
coro_status vast_check(struct pass_run *run, struct coro_map *counted);

#endif
