/* Recognizes the selector of a cleanup that several paths share: a phi of constants that decides where the cleanup
   branches at its end (clang's cleanup.dest).
   Requires: number.
   Guarantees: the function is unchanged. */
#ifndef CORO_CORO_BY_NUMBER_H
#define CORO_CORO_BY_NUMBER_H

#include "coro/cfg.h"

struct by_number {
  const struct ir_fn *fn;
  const struct cfg_extra *extra; /* its landings provide selector values */
  struct coro_bits from, to;     /* sets of blocks: predecessors of landings in the ramp; landings */
};

/* Adds a landing, and the block that branches to it in the ramp. */
void by_number_add(struct by_number *b, uint32_t landing, uint32_t from);
/* The phi in a landing's block that alone determines a branch operand, or IR_NONE. */
uint32_t by_number_of(const struct by_number *b, LLVMValueRef chosen);
/* Whether the k-th value of the phi is the selector value of a landing. */
bool by_number_is_brought(const struct by_number *b, uint32_t phi, uint32_t k);
/* Whether only selector values of landings lead to the successor `way`. */
bool by_number_alone(const struct by_number *b, LLVMValueRef terminator, uint32_t phi, unsigned way);
/* Whether the selector value of a landing cannot change: no visited node branches back to the phi. */
bool by_number_stays(const struct by_number *b, const struct coro_cfg *cfg, const unsigned char *seen);

#endif
