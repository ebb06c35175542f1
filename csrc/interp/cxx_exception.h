/* The part of the C++ exception runtime that programs need.
   Requires: activations. Guarantees: memory of a handled exception lives until the interpreter is freed. */
#ifndef CORO_INTERP_CXX_EXCEPTION_H
#define CORO_INTERP_CXX_EXCEPTION_H

#include "interp/state.h"

void exceptions_free(struct interp *in);

#endif
