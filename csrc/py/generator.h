/* The objects that natively compiled generators and coroutines are.
   Needs: channel.h. Leaves: nothing. */
#ifndef CORO_PY_GENERATOR_H
#define CORO_PY_GENERATOR_H

#include "channel.h"

/* A generator or coroutine that stands before its body; takes the channel and the arrays over, on failure too. */
PyObject *native_started(PyObject *native, struct native_channel *channel, struct native_array *arrays);

#endif
