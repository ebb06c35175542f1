/* Stage `destroy_after_unwind`: finds the cleanup that destroy executes for a coroutine ended by an exception. For C++
   such a coroutine is suspended at its final suspend. However, the objects created for that suspend, such as its
   awaiter, do not exist, and an optimizer may have removed the suspend. Destroy must therefore execute the ramp's
   cleanup after the llvm.coro.end on the unwind path, where llvm.coro.is_in_ramp is true: it destroys the promise and
   the parameter copies, and frees the frame. If the ramp would then propagate the exception, destroy returns. See
   docs/explanation/unwound.md.
   Requires: number, shape, select_abi.
   Guarantees: extra landings and edges, which the stage `cfg` then adds to the graph. */
#ifndef CORO_LOWERING_DESTROY_AFTER_UNWIND_H
#define CORO_LOWERING_DESTROY_AFTER_UNWIND_H

#include "analysis/cfg.h"

struct coro_lowering;

struct coro_destroy_after_unwind {
  /* A landing for each cleanup after an unwind end, and one for all ends without a cleanup. */
  struct cfg_extra extra;
  /* set of blocks of the ramp's cleanup that destroy executes; empty if it is shared, or there is none */
  struct coro_bits cleanup;
  /* Other clones execute blocks of the cleanup as well. Then `cleanup` is empty, and at a `resume` destroy must
     check at run time how it entered. */
  bool shared;
  /* set of blocks with a `resume` that only propagates exceptions of the cleanup itself, so no check is needed */
  struct coro_bits thrown;
  bool has_unwind_end; /* the function has an unwind end */
};

coro_status coro_destroy_after_unwind(struct coro_lowering *low);

static inline bool unwound_is_cleanup_block(const struct coro_destroy_after_unwind *unwound, uint32_t block)
{
  return unwound->cleanup.size && coro_bits_get(&unwound->cleanup, block);
}

/* Whether a cleanupret in the cleanup is never executed. It exits the pad of an llvm.coro.end, which the ramp has
   already exited when it enters the cleanup. */
static inline bool unwound_is_never_executed(const struct coro_cfg *cfg, uint32_t inst)
{
  return pads_end(&cfg->pads, inst) != IR_NONE;
}

#endif
