/* Assertions of what each stage guarantees (stages.def), checked after it: see base/invariant.h.
   Requires: the stage and its predecessors.
   Guarantees: in release builds nothing is checked. */
#pragma once

#include "lowering/lowering.h"

#define CORO_STAGE(name, needs, leaves) void coro_##name##_postcondition(const struct coro_lowering *low);
#define CORO_CHECK(name, needs, asks)
#define CORO_WORK(name, needs, leaves)
#include "lowering/stages.def"
