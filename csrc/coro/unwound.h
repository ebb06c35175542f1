/* Done: how a coroutine is destroyed that an exception has ended. It counts as suspended at its final suspend, but what
   is made for that suspend, its awaiter, is not there, and an optimiser may have taken the suspend away. What the ramp
   does behind an llvm.coro.end on the unwind path, where llvm.coro.is_in_ramp is true, tells what is left to do: it
   ends the promise and the copies of the parameters, gives the memory back and hands the exception on. Destroying does
   the same, up to where the exception would be handed on: there it returns.
   Needs: number, shape, a graph without the landings that are found here. Leaves: the function as it was. */
#ifndef CORO_CORO_UNWOUND_H
#define CORO_CORO_UNWOUND_H

#include "base/bits.h"
#include "coro/shape.h"

struct coro_cfg;

/* Where the destruction begins of what has been ended by the llvm.coro.end in one block. */
struct done_way {
  uint32_t end; /* the last instruction of the fragment with the end */
  uint32_t
      from; /* the terminator that asks is_in_ramp, or leaves the pad; IR_NONE: of all ends that have no other way */
  uint32_t to; /* the first instruction; IR_NONE: there is nothing to do */
};

struct coro_done {
  struct done_way *ways;
  uint32_t count;
  /* Of these no part but the ramp, and the destruction of what is done, has anything. Empty where no way leads along
     the ramp's. */
  struct coro_bits destroys; /* by block: run when what is done is destroyed */
  struct coro_bits hands_on; /* by block: does nothing but hand the exception on */
  struct coro_bits idle; /* by instruction of `destroys`: hands the exception on, or computes nothing but what is */
  /* The ways lead through blocks that are run in the clones for other reasons too: `destroys` and what follows from it
     are empty, and where a clone comes to a `resume` it has to know which way it came. */
  bool shared;
};

bool done_find(struct coro_done *done, struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape,
               const struct coro_cfg *cfg); /* false: memory ran out */

static inline bool done_destroys(const struct coro_done *done, uint32_t block)
{
  return done->destroys.size && coro_bits_get(&done->destroys, block);
}

/* The edge between these blocks is where the destruction of what is done returns. */
static inline bool done_returns(const struct coro_done *done, uint32_t from, uint32_t to)
{
  return done_destroys(done, from) && coro_bits_get(&done->hands_on, to);
}

static inline bool done_is_idle(const struct coro_done *done, uint32_t inst)
{
  return done->idle.size && coro_bits_get(&done->idle, inst);
}

#endif
