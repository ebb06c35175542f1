/* Finds the funclet pad that contains each block, and the remaining exits of a cleanuppad with an llvm.coro.end. After
   that end the exception propagates in the ramp only; the clones return. All unwind edges of a pad must have one
   destination, so in the clones the remaining exits follow the end's.
   Requires: number, shape.
   Guarantees: the function is unchanged. */
#pragma once

#include "analysis/shape.h"

struct coro_pads {
  /* Indexed by instruction: for a terminator that unwinds out of the cleanuppad of an llvm.coro.end, and for the end
     itself, that end; else IR_NONE. NULL: there are none. */
  uint32_t *end;
  /* indexed by block: value of its pad; IR_NONE for none or several. NULL: there are no pads. */
  uint32_t *of_block;
  uint32_t nested; /* such an end in a nested pad; its parent has other exits; IR_NONE: none */
};

bool find_pads_of_ends_and_blocks(struct coro_pads *pads, struct coro_arena *arena, const struct ir_fn *fn,
                                  const struct coro_shape *shape); /* false: out of memory */
bool pads_is_funclet_pad(const struct ir_fn *fn, uint32_t inst); /* false for a landingpad, which has no token */
/* The cleanuppad that contains an unwind llvm.coro.end; IR_NONE: none. */
uint32_t cleanuppad_of_end_or_none(const struct ir_fn *fn, uint32_t end);

/* The pad for the funclet bundle of calls in this block; IR_NONE: none. */
static inline uint32_t pads_of_block(const struct coro_pads *pads, uint32_t block)
{
  return pads->of_block ? pads->of_block[block] : IR_NONE;
}

/* The llvm.coro.end of the cleanuppad out of which the terminator unwinds, or the end itself; IR_NONE: none. */
static inline uint32_t pads_end_of_exited_pad(const struct coro_pads *pads, uint32_t inst)
{
  return pads->end ? pads->end[inst] : IR_NONE;
}
