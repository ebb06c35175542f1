/* The part of the C++ exception runtime that programs need.
   Requires: activations. Guarantees: memory of a handled exception lives until the interpreter is freed. */
#pragma once

#include "interp/state.h"

void exceptions_free(struct interp *in);
