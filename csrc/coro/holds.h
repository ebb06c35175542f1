/* Holds: what each stage promises the ones behind it, asked of what it has left.
   Needs: the stage, and those before it. Leaves: a broken invariant where a promise is not kept; what is known of the
   coroutine as it was. */
#ifndef CORO_CORO_HOLDS_H
#define CORO_CORO_HOLDS_H

#include "coro/lowering.h"

#define CORO_STAGE(name, needs, leaves) void coro_##name##_holds(const struct coro_lowering *low);
#define CORO_CHECK(name, needs, asks)
#define CORO_WORK(name, needs, leaves)
#include "coro/stages.def"

#endif
