/* Recognizes the selector of a cleanup that several paths share: a phi of constants that decides where the cleanup
   branches at its end (clang's cleanup.dest).
   Requires: number.
   Guarantees: the function is unchanged. */
#ifndef CORO_ANALYSIS_CLEANUP_SELECTOR_H
#define CORO_ANALYSIS_CLEANUP_SELECTOR_H

#include "analysis/cfg.h"

struct cleanup_selector {
  const struct ir_fn *fn;
  const struct cfg_extra *extra; /* its landings provide selector values */
  struct coro_bits from, to;     /* sets of blocks: predecessors of landings in the ramp; landings */
};

/* Adds a landing, and the block that branches to it in the ramp. */
void cleanup_selector_add_landing(struct cleanup_selector *b, uint32_t landing, uint32_t from);
/* The phi in a landing's block that alone decides a terminator's successor, or IR_NONE. */
uint32_t cleanup_selector_of(const struct cleanup_selector *b, LLVMValueRef terminator);
/* Whether the k-th value of the phi is the selector value of a landing. */
bool cleanup_selector_is_of_landing(const struct cleanup_selector *b, uint32_t phi, uint32_t k);
/* Whether the successor is reached with selector values of landings only. */
bool cleanup_selector_only_from_landings(const struct cleanup_selector *b, LLVMValueRef terminator, uint32_t phi,
                                         unsigned successor);
/* Whether the selector keeps the value that a landing gives it: no node of the cleanup branches back to the selector's
   phi. */
bool cleanup_selector_is_stable(const struct cleanup_selector *b, const struct coro_cfg *cfg,
                                const struct coro_bits *cleanup);

#endif
