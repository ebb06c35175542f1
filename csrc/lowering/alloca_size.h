/* Measures allocas, byval arguments and the swifterror argument.
   Requires: number, shape, crossing.
   Guarantees: the function is unchanged. */
#pragma once

struct coro_alloca;
struct coro_lowering;

/* Sets the type, size and alignment of the alloca with this value. */
void alloca_set_type_size_and_alignment(struct coro_alloca *a, const struct coro_lowering *low);
