/* Periods of values in a loop of one block: after how many iterations a value repeats. A counter changes by the same
   amount in each iteration. Its remainder by a small constant is periodic, and so are operations on periodic values.
   Requires: number. Guarantees: linear in the size of the block. */
#ifndef CORO_LOOPS_LOOP_PERIOD_H
#define CORO_LOOPS_LOOP_PERIOD_H

#include "ir/number.h"

/* The number of iterations after which a value repeats; 1: it changes rarely or never. */
enum {
  PERIOD_NONE = 0, /* unknown */
  MAX_PERIOD = 32, /* what branch predictors learn reliably */
  PERIOD_COUNTER /* not periodic, but changed by the same amount in each iteration */
};

struct loop_block {
  const struct ir_fn *fn;
  uint32_t block, first, end; /* its instructions: [first, end) */
  uint32_t *period; /* by instruction - first */
};

/* False: out of memory. */
bool loop_block_init(struct loop_block *loop, struct coro_arena *arena, const struct ir_fn *fn, uint32_t block);

/* The operand's instruction in the loop; IR_NONE: it is loop-invariant. */
static inline uint32_t loop_operand(const struct loop_block *l, uint32_t inst, uint32_t index)
{
  uint32_t by = ir_operand_inst(l->fn, inst, index);
  return by != IR_NONE && by >= l->first && by < l->end ? by : IR_NONE;
}

static inline uint32_t loop_period_of_operand(const struct loop_block *l, uint32_t inst, uint32_t index)
{
  uint32_t by = loop_operand(l, inst, index);
  return by == IR_NONE ? 1 : l->period[by - l->first];
}

static inline bool loop_is_counter(const struct loop_block *l, uint32_t inst)
{
  return l->period[inst - l->first] == PERIOD_COUNTER;
}

bool loop_is_sum(const struct loop_block *l, uint32_t inst); /* of two integers */
bool loop_is_binary_opcode(unsigned opcode);
/* The value of the phi in the next iteration, if that is an instruction of the loop; else IR_NONE. */
uint32_t loop_next_value(const struct loop_block *l, uint32_t phi);

#endif
