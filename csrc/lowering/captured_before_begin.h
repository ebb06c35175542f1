/* Finds allocas that the lowering cannot move to the frame, because a copy of their address from before
   llvm.coro.begin may be used after it: the address is stored to memory, or passed to a call, and the result, which
   may contain it, is used later. Such an alloca is allocated on the heap if it is live across a suspend (alloca.h).
   A callee is assumed not to store the address: allocators are passed addresses of arguments. An alloca that is
   used after an llvm.coro.free moves to the frame nevertheless: heap blocks may be freed before the frame.
   Requires: number, shape, cfg; crossing.for_arguments.
   Guarantees: a set of values, empty if suspends return in the ABI, or if nothing frees the frame. The cost is linear
   in the uses of allocas before llvm.coro.begin. */
#pragma once

#include "base/bits.h"

struct coro_lowering;

/* Computes the set of such allocas. False: out of memory. */
bool coro_find_allocas_captured_before_begin(struct coro_lowering *low, struct coro_bits *captured);
/* Whether the destroy clone executes an llvm.coro.free, before which the heap blocks can be freed. */
bool coro_destroy_clone_frees_frame(const struct coro_lowering *low);
