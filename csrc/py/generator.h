/* The objects that natively compiled generators and coroutines are.
   Needs: channel.h. Leaves: nothing. */
#ifndef CORO_PY_GENERATOR_H
#define CORO_PY_GENERATOR_H

#include "channel.h"

/* A generator or coroutine that stands before its body. NULL with an exception set. */
PyObject *native_started(PyObject *native, PyObject *args);
void native_free_spares(struct native_object *native); /* where the native goes itself */

#endif
