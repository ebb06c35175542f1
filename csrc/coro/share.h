/* Share: where each field of the frame holds something that is still needed. Fields that never do at the same place
   may have the same bytes.
   Needs: all stages up to the collected frame. Leaves: bits by field over instructions and landings. */
#ifndef CORO_CORO_SHARE_H
#define CORO_CORO_SHARE_H

#include "coro/lowering.h"

/* *lives is by field; that of a header field has no words. False: memory ran out. */
bool coro_share_find(const struct coro_bits **lives, struct coro_arena *arena, const struct coro_lowering *low);

#endif
