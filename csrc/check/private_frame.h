/* Frames that no other code accesses while a clone runs: what `noalias` on the frame's parameter promises.
   Requires: proved claims, which name the place of each address. */
#ifndef CORO_CHECK_PRIVATE_FRAME_H
#define CORO_CHECK_PRIVATE_FRAME_H

#include "check/model.h"

/* If the frame is in a noalias buffer: whether no address in it escapes, is known to hooks, or is spilled. */
bool private_frame_check(struct check *c);

#endif
