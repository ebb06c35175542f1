/* Unwound: how a coroutine is destroyed that an exception has ended. To C++ it is suspended at its final suspend, but
   what is made for that suspend, its awaiter, is not there, and an optimiser may have taken the suspend away. What is
   left to destroy is what the ramp destroys behind an llvm.coro.end on the unwind path, where llvm.coro.is_in_ramp is
   true: the promise, the copies of the parameters, the frame's memory. Destroy runs the ramp's cleanup, up to where the
   exception would propagate: there it returns. docs/explanation/unwound.md has the whole of it.
   Needs: number, shape, choose. Leaves: what a graph is built with; the function as it was. */
#ifndef CORO_CORO_UNWOUND_H
#define CORO_CORO_UNWOUND_H

#include "coro/cfg.h"

struct coro_unwound {
  /* A landing for each cleanup that begins behind an unwind end, one for all ends that have none. */
  struct cfg_extra extra;
  struct coro_bits cleanup; /* by block: the ramp's, which destroy runs; empty where there is none of its own */
  /* Clones run blocks of the cleanup for other reasons too: `cleanup` is empty, and where destroy comes to a `resume`
     it has to know whether it began there. */
  bool shared;
  struct coro_bits thrown; /* by block: its `resume` propagates what the cleanup has thrown, so that none has to ask */
  bool any; /* there is an unwind end */
};

coro_status coro_unwound(struct coro_lowering *low);

static inline bool unwound_cleans(const struct coro_unwound *unwound, uint32_t block)
{
  return unwound->cleanup.size && coro_bits_get(&unwound->cleanup, block);
}

/* Of a cleanupret in the cleanup: nothing executes it. It leaves the pad of an llvm.coro.end, which the ramp has left
   already when it comes to the cleanup. */
static inline bool unwound_never_leaves(const struct coro_cfg *cfg, uint32_t inst)
{
  return pads_end(&cfg->pads, inst) != IR_NONE;
}

#endif
