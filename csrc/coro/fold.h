/* Folding: the instructions right behind a suspend usually do nothing but choose a successor by its result. As the
   result is known wherever control comes from (-1 suspended, 0 resumed, 1 destroyed), they need not be executed.
   Needs: number. Leaves: the function as it was. */
#ifndef CORO_CORO_FOLD_H
#define CORO_CORO_FOLD_H

#include "ir/number.h"

/* Instructions (suspend, last) compare and branch on the suspend's result and on constants only, and neither it nor
   they are used anywhere else. */
bool fold_possible(const struct ir_fn *fn, uint32_t suspend, uint32_t last);
/* The successor that instructions (suspend, last) choose for `result`, as an IR_BLOCK operand; fold_possible holds. */
uint32_t fold_target(const struct ir_fn *fn, uint32_t suspend, uint32_t last, int result);

#endif
