/* The program's heap: malloc, free and the other allocation functions of C and C++, unless the host defines them.
   Requires: memory_object.h. Guarantees: an invalid free ends the execution with a diagnostic. */
#pragma once

#include "interp/state.h"

/* Calls the function: the host's, else the built-in one. Returns the host's status; 0 after the built-in one, also if
   the execution has ended. */
int heap_call_function_or_host(struct interp *in, const struct op *op, coro_external *call);
