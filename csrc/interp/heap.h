/* The program's heap: malloc, free and their kin of C and C++, where the host does not define them.
   Needs: object.h. Leaves: what is given back twice, or was never given, an end that names it. */
#ifndef CORO_INTERP_HEAP_H
#define CORO_INTERP_HEAP_H

#include "interp/state.h"

/* Asks the host, or the heap; answers as the host does. */
int heap_ask(struct interp *in, const struct op *op, coro_external *call);

#endif
