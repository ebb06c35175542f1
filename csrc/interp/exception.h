/* As much of C++'s run time as exceptions need.
   Needs: activations. Leaves: the memory of an exception that is caught kept to the end of all. */
#ifndef CORO_INTERP_EXCEPTION_H
#define CORO_INTERP_EXCEPTION_H

#include "interp/state.h"

void exceptions_free(struct interp *in);

#endif
