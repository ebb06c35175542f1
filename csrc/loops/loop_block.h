/* Analyzes a loop of one block: computes the period of each value, and the set of values that depend on the previous
   iteration. A value with period n repeats every n iterations. A counter changes by the same amount in each iteration.
   Its remainder by a small constant is periodic, and so are operations on periodic values.
   Requires: number. Guarantees: linear in the size of the block. */
#pragma once

#include "base/bits.h"
#include "ir/number.h"

/* Periods: the number of iterations after which a value repeats; 1: it changes rarely or never. */
enum {
  PERIOD_NONE = 0, /* unknown */
  MAX_PERIOD = 32, /* branch predictors may not learn longer ones, which count as unknown */
  PERIOD_COUNTER /* not periodic, but changed by the same amount in each iteration */
};

struct loop_block {
  const struct ir_fn *fn;
  uint32_t block, first, end; /* its instructions: [first, end) */
  /* Indexed by instruction - first: */
  uint32_t *period;
  struct coro_bits wraps; /* a counter that may overflow every few iterations */
  struct coro_bits carried; /* depends on a phi that is not a counter */
  struct coro_bits carries; /* such a phi depends on it in the next iteration */
};

/* Whether a branch of the block leads to itself. */
bool loop_is_one_block(LLVMBasicBlockRef block);

bool loop_block_init(struct loop_block *loop, struct coro_arena *arena, const struct ir_fn *fn,
                     uint32_t block); /* false: out of memory */

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

static inline bool loop_inst_is_counter(const struct loop_block *l, uint32_t inst)
{
  return l->period[inst - l->first] == PERIOD_COUNTER;
}

/* Whether the instruction of the loop is in a set such as `carried`; false for IR_NONE. */
static inline bool loop_set_contains(const struct coro_bits *set, const struct loop_block *l, uint32_t inst)
{
  return inst != IR_NONE && coro_bits_get(set, inst - l->first);
}

static inline uint32_t loop_operand_count(const struct loop_block *l, uint32_t inst)
{
  return l->fn->operand_start[inst + 1] - l->fn->operand_start[inst];
}

bool loop_inst_is_add_sub_or_disjoint_or(const struct loop_block *l,
                                         uint32_t inst); /* an add, a sub or a disjoint or of integers */
/* Whether the instruction has no effect but its result. */
bool loop_inst_only_computes_result(const struct loop_block *l, uint32_t inst);
