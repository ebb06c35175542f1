/* Floating-point operations on one scalar, shared by instructions and intrinsics.
   Requires: state.h. Guarantees: cells with the value's memory representation. */
#pragma once

#include "interp/state.h"

double real_from_cell(const struct cell *cell, unsigned bits); /* 32 or 64 bits */
struct cell real_to_cell(double value, unsigned bits);
/* Applies an operation with `count` operands (at most 3) scalar by scalar. */
void real_compute_elementwise(struct interp *in, const struct activation *act, const struct op *op, uint32_t count,
                              double (*work)(const double *));
