/* By number: where a cleanup leads in the end, if a number says so that differs by the way to it.
   Needs: number. Leaves: the function as it was. */
#ifndef CORO_CORO_BY_NUMBER_H
#define CORO_CORO_BY_NUMBER_H

#include "coro/cfg.h"

struct by_number {
  const struct ir_fn *fn;
  const struct cfg_extra *extra; /* whose landings bring numbers */
  struct coro_bits from, to;     /* by block: from there the ramp comes to a landing; there is one */
};

/* Notes a landing, and the block from which the ramp comes there. */
void by_number_add(struct by_number *b, uint32_t landing, uint32_t from);
/* The phi where landings come in that alone decides what is chosen by; IR_NONE: something else does. */
uint32_t by_number_of(const struct by_number *b, LLVMValueRef chosen);
/* The k-th value of the phi is what a landing brings. */
bool by_number_is_brought(const struct by_number *b, uint32_t phi, uint32_t k);
/* No other number than the landings' leads that way. */
bool by_number_alone(const struct by_number *b, LLVMValueRef terminator, uint32_t phi, unsigned way);
/* What a landing brings stays what it is: from none of the nodes that were seen does control come back to it. */
bool by_number_stays(const struct by_number *b, const struct coro_cfg *cfg, const unsigned char *seen);

#endif
