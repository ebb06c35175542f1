/* The program's heap: malloc, free and the other allocation functions of C and C++, unless the host defines them.
   Requires: memory_object.h. Guarantees: an invalid free ends the execution with a diagnostic. */
#ifndef CORO_INTERP_HEAP_H
#define CORO_INTERP_HEAP_H

#include "interp/state.h"

/* Calls the host or the built-in heap; returns the host's status. */
int heap_handler_for_callee(struct interp *in, const struct op *op, coro_external *call);

#endif
