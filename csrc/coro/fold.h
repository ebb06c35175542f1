/* Folding of a suspend's result: the instructions between a suspend and the end of its block usually only choose a
   successor by the result, perhaps through casts and comparisons. The result is known on each path (-1 suspended, 0
   resumed, 1 destroyed), and so is the successor: these instructions need not be executed.
   Requires: number. Guarantees: the function is not modified. */
#ifndef CORO_CORO_FOLD_H
#define CORO_CORO_FOLD_H

#include "ir/number.h"

/* Instructions (suspend, last) compute integers and branch, for each of the three results to a known successor, and
   neither the result nor these integers are used anywhere else. */
bool fold_possible(const struct ir_fn *fn, uint32_t suspend, uint32_t last);
/* The successor that instructions (suspend, last) choose for `result`, as an IR_BLOCK operand; fold_possible holds. */
uint32_t fold_target(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result);

#endif
