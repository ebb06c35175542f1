/* Floating-point operations on one scalar, for the instructions and for the intrinsics that do the same.
   Needs: state.h. Leaves: cells that hold the value as its type does in memory. */
#ifndef CORO_INTERP_REAL_H
#define CORO_INTERP_REAL_H

#include "interp/state.h"

double real_get(const struct cell *cell, unsigned bits); /* of 32 or 64 bits */
struct cell real_put(double value, unsigned bits);
/* The result of an operation with `count` operands (up to 3), scalar by scalar. */
void real_each(struct interp *in, const struct activation *act, const struct op *op, uint32_t count,
               double (*work)(const double *));

#endif
