/* Publish: what others may know of the handles of this module's coroutines.
   Needs: ramp, told. Leaves: aliases of the ramps that take a frame, whose names hold it. */
#ifndef CORO_PASS_PUBLISH_H
#define CORO_PASS_PUBLISH_H

#include "pass/pass.h"

/* Of those that were published when they were split, while their ramps have coro.ids yet. False: memory ran out. */
bool publish_handles(struct pass_run *run, bool *changed);

#endif
