/* Pads: which pad a block is in, and what else leaves the pad in which an llvm.coro.end is. Behind that end an
   exception goes on in the ramp alone; in the other parts it leaves the function. All edges on which an exception
   leaves one pad must lead to one place, so that in those parts the others lead where the end does.
   Needs: number, shape. Leaves: the function as it was. */
#ifndef CORO_CORO_PADS_H
#define CORO_CORO_PADS_H

#include "coro/shape.h"

struct coro_pads {
  /* By instruction: for a terminator from which an exception leaves the cleanuppad of an llvm.coro.end, that end; for
     such an end itself; else IR_NONE. NULL where there are none. */
  uint32_t *end;
  /* The value of the pad that each block is in, IR_NONE for none and for what control comes to in several; NULL: there
     are no pads. */
  uint32_t *of_block;
  uint32_t nested; /* such an end in a pad within another one, which is left by other ways too; IR_NONE: none */
};

bool pads_find(struct coro_pads *pads, struct coro_arena *arena, const struct ir_fn *fn,
               const struct coro_shape *shape); /* false: memory ran out */
bool pads_is_pad(const struct ir_fn *fn, uint32_t inst); /* a landingpad is none: nothing names it */
/* The cleanuppad that an llvm.coro.end on the unwind path is in; IR_NONE where it is in none. */
uint32_t pads_of_end(const struct ir_fn *fn, uint32_t end);

/* The pad that calls in this block have to name in a "funclet" bundle; IR_NONE: there is none. */
static inline uint32_t pads_of_block(const struct coro_pads *pads, uint32_t block)
{
  return pads->of_block ? pads->of_block[block] : IR_NONE;
}

static inline uint32_t pads_end(const struct coro_pads *pads, uint32_t inst)
{
  return pads->end ? pads->end[inst] : IR_NONE;
}

#endif
