/* Frames that no other code accesses while a clone runs: what `noalias` on the frame's parameter promises.
   Requires: proved claims, which name the place of each address. */
#ifndef CORO_CHECK_PRIVATE_FRAME_H
#define CORO_CHECK_PRIVATE_FRAME_H

#include "check/model.h"

/* If a clone's frame is noalias: whether no address in the frame escapes, or is kept in the frame across a suspend. */
bool private_frame_check(struct check *c);

#endif
