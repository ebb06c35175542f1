/* Integer operations on one scalar, shared by instructions and intrinsics.
   Requires: state.h. Guarantees: bits past the width are zero; undefined bits are zero and marked. */
#pragma once

#include "interp/state.h"

typedef struct cell integer_op(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b);

integer_op integer_add, integer_sub, integer_mul;
bool integer_add_overflows(unsigned bits, bool is_signed, u128 a, u128 b);
bool integer_sub_overflows(unsigned bits, bool is_signed, u128 a, u128 b);
bool integer_mul_overflows(unsigned bits, bool is_signed, u128 a, u128 b);
