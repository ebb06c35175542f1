/* Measures allocas, byval arguments and the swifterror argument.
   Requires: number, shape, crossing.per_iteration.
   Guarantees: the function is unchanged. */
#pragma once

struct coro_alloca;
struct coro_lowering;

/* Sets the type, size and alignment of the alloca with this value. */
void alloca_measure(struct coro_alloca *a, const struct coro_lowering *low);
