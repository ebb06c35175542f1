/* Constant-folds the branch on a suspend's result. The instructions between a suspend and the end of its block usually
   only choose a successor by the result, possibly through casts and comparisons. The result is known on each path (-1
   suspended, 0 resumed, 1 destroyed), and so is the successor. These instructions need not be executed.
   Requires: number.
   Guarantees: the function is unchanged. */
#pragma once

#include "ir/number.h"

/* Whether the instructions (suspend, last) compute integers and branch to a known successor for each of the three
   results, and neither the result nor these integers have other uses. */
bool can_fold_suspend_result(const struct ir_fn *fn, uint32_t suspend, uint32_t last);
/* The successor that the instructions between `suspend` and `last`, of which the terminator is last - 1, choose for
   `result`, as an IR_BLOCK operand. Requires can_fold_suspend_result. */
uint32_t successor_block_for_folded_suspend(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result);
