/* Stage `alloca_intrinsics`: placement of memory requested by llvm.coro.alloca.alloc. If no suspend is reachable before
   it is freed, it is a dynamic alloca. Otherwise it is allocated by the ABI, and its address is spilled in place of the
   token.
   Requires: number, shape, select_abi, cfg, crossing.
   Guarantees: a placement for each call. */
#pragma once

#include "lowering/crossing.h"

struct coro_lowering;

struct coro_alloca_intrinsics {
  struct coro_bits outlives; /* set of llvm.coro.alloca.alloc instructions whose memory is live across a suspend */
  uint32_t first; /* the first of them, or IR_NONE */
  bool list; /* such memory exists, and the ABI has no allocator: heap blocks in a list that is freed with the frame */
};

coro_status coro_run_alloca_intrinsics_stage(struct coro_lowering *low);
