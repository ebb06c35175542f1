/* Floating-point operations on one scalar, shared by instructions and intrinsics.
   Requires: state.h. Guarantees: cells with the value's memory representation. */
#pragma once

#include "interp/state.h"

double real_from_cell(const struct cell *cell, unsigned bits); /* 32 or 64 bits */
struct cell real_to_cell(double value, unsigned bits);
/* Applies an operation with `count` operands (at most 3) scalar by scalar. */
void real_compute_elementwise(struct interp *in, const struct activation *act, const struct op *op, uint32_t count,
                              double (*work)(const double *));
void real_poison_result_of_violated_flags(const struct activation *act, const struct op *op);

/* Makes the result poison if nnan or ninf forbids the value of an operand or of the result. A phi or select only
   takes the value of one operand; the flags do not apply to the others. */
static inline void real_apply_fast_math_flags(const struct activation *act, const struct op *op)
{
  if (op->flags & (OP_NNAN | OP_NINF))
    real_poison_result_of_violated_flags(act, op);
}

/* Defines the handler `name`, which computes `expression` of the operands v[0], v[1] for each scalar. */
#define REAL(name, count, expression)                                                                                  \
  static double name##_real(const double *v)                                                                           \
  {                                                                                                                    \
    return expression;                                                                                                 \
  }                                                                                                                    \
  HANDLER(name, real_compute_elementwise, count, name##_real)
