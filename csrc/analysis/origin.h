/* Finds the base operands of address computations. Addresses computed before llvm.coro.begin from an alloca that moves
   to the frame are rematerialized from them, and a phi may choose between several.
   Requires: number.
   Guarantees: the function is unchanged. */
#pragma once

#include "base/bits.h"
#include "ir/number.h"

/* The operands [first, first + count) of an instruction. */
struct origin_operands {
  uint32_t first, count;
};

/* The operands that may be the base of the result: the base of a getelementptr, the values of a select or a phi.
   Empty if the result is not a scalar, or is derived from an element of an aggregate. */
struct origin_operands origin_operands(const struct ir_fn *fn, uint32_t inst);
/* Whether all incoming values of the phi are one value. */
bool origin_phi_has_one_value(const struct ir_fn *fn, uint32_t phi);
/* Visits the value and, along such operands, all values from which it is derived, each once. `continues_at` returns
   whether to continue along the operands of the value. False: out of memory. */
bool visit_base_values(const struct ir_fn *fn, struct coro_arena *arena, uint32_t value,
                       bool (*continues_at)(void *context, uint32_t value), void *context);
/* Whether the phi can be traced along such operands to addresses of one alloca, which `is_alias_of_alloca` recognizes.
   False with *known unchanged: out of memory. */
bool origin_check_phi_is_of_alloca(const struct ir_fn *fn, struct coro_arena *arena, uint32_t phi,
                                   bool (*is_alias_of_alloca)(const void *context, uint32_t value), const void *context,
                                   bool *known);
