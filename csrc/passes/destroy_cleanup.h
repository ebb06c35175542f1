/* Copies the ramp's cleanup after an unwind llvm.coro.end for a coroutine that is destroyed after an exception. The
   copy is outside of pads, and leaves the coroutine at the points where the ramp propagates the exception.
   Requires: a coroutine before coro-split, without unreachable blocks.
   Guarantees: the original code does not change, except that handlers of the cleanup have more predecessors. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "run/pass.h"

/* The frame: allocated; after llvm.coro.free; after its memory was released, or was null. */
enum frame_state { FRAME_ALLOCATED, FRAME_FREED, FRAME_RELEASED };

struct destroy_cleanup_item {
  LLVMBasicBlockRef block;
  enum frame_state state; /* at the start of the block */
};

struct destroy_cleanup {
  struct pass_run *run;
  LLVMBuilderRef builder;
  const struct coro_map *parameters; /* as destroy_cleanup_find_parameter_allocas fills it */
  LLVMBasicBlockRef from, start; /* the edge on which the ramp enters the cleanup */
  LLVMValueRef left_pad; /* the pad of the unwind end, which the ramp leaves on that edge; NULL: none */
  unsigned position; /* expected position of that edge in the phis of `start`: a search begins there */
  bool reentered; /* the cleanup branches back to its start */
  bool depends_on_edge; /* the copy uses a value of a phi of the start */
  struct coro_map states; /* block -> set of its enum frame_state at entry; empty for exits */
  CORO_VEC(struct destroy_cleanup_item) items; /* pairs of block and state */
  CORO_VEC(LLVMBasicBlockRef) blocks; /* the blocks to copy */
  CORO_VEC(LLVMBasicBlockRef) exits; /* successors of the cleanup that only propagate the exception */
  CORO_VEC(struct destroy_cleanup_item) handlers; /* unwind destinations of the cleanup */
  struct coro_map searched; /* block -> the last search for a return from a handler to the cleanup that reached it */
  CORO_VEC(uint32_t) searches; /* number of the cleanup's blocks and exits when the search failed; or UINT32_MAX */
};

/* Adds the allocas in which the ramp has its parameters. False: out of memory. */
bool destroy_cleanup_find_parameter_allocas(LLVMValueRef function, struct coro_map *memory);
/* Whether the cleanup can be copied: it frees the frame on every path that leaves it, and contains no suspend. Sets all
   members after `position`. */
bool destroy_cleanup_find_if_copyable(struct destroy_cleanup *d);
/* Copies the blocks that destroy_cleanup_find_if_copyable found. Returns the first copy, whose predecessor is
   `entered_from`; the copies branch to `leave` at their end. Completes `depends_on_edge`. NULL: out of memory. */
LLVMBasicBlockRef destroy_cleanup_copy(struct destroy_cleanup *d, LLVMBasicBlockRef entered_from,
                                       LLVMBasicBlockRef leave);
