/* Origins of addresses: the operands that an address is derived from, for addresses that are computed before
   llvm.coro.begin out of a variable that moves to the frame, and that a phi may choose between several.
   Requires: number. Guarantees: the function is not modified. */
#ifndef CORO_CORO_ORIGIN_H
#define CORO_CORO_ORIGIN_H

#include "base/bits.h"
#include "ir/number.h"

/* The operands [first, first + count) of an instruction. */
struct origin_operands {
  uint32_t first, count;
};

/* The operands of which one is what the instruction's result is derived from: the base of a getelementptr, the
   values of a select or of a phi. None: the result is no scalar, or is derived from a part of something. */
struct origin_operands origin_operands(const struct ir_fn *fn, uint32_t inst);
/* A phi all of whose values are one value. */
bool origin_is_single(const struct ir_fn *fn, uint32_t phi);
/* Among the addresses of one variable, which `is_alias` tells, the phi's can be traced to the variable along such
   operands alone. False, with *known unchanged: memory ran out. */
bool origin_is_known(const struct ir_fn *fn, struct coro_arena *arena, uint32_t phi,
                     bool (*is_alias)(const void *user, uint32_t value), const void *user, bool *known);

#endif
