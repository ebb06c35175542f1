/* Values as cells: a scalar is one cell; an aggregate or vector has one cell per scalar.
   Requires: nothing. Guarantees: no side effects. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ir/integer.h"

struct cell {
  u128 bits;   /* undefined bits are 0 */
  u128 undef;  /* mask of undefined bits; propagated through computations as far as it affects them */
  bool poison; /* implies that all bits are undefined */
};

static inline struct cell cell_of(u128 bits)
{
  return (struct cell){bits, 0, false};
}

/* Most values are one cell. */
static inline void cells_move(struct cell *to, const struct cell *from, uint32_t count)
{
  if (count == 1)
    *to = *from;
  else if (count) /* `from` may be NULL for an empty struct */
    memmove(to, from, count * sizeof *to);
}

static inline struct cell cell_undef(unsigned bits)
{
  return (struct cell){0, integer_mask(bits), false};
}

static inline struct cell cell_poison(unsigned bits)
{
  return (struct cell){0, integer_mask(bits), true};
}

/* Poison or an undefined value of `bits` bits, or else the value. */
static inline struct cell cell_unless_undefined(bool poison, bool undef, unsigned bits, u128 value)
{
  return poison ? cell_poison(bits) : undef ? cell_undef(bits) : cell_of(value);
}
