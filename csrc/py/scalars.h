/* Scalars of the interpreted program as Python's numbers, and back.
   Needs: state.h. Leaves: an exception set where a number does not fit. */
#ifndef CORO_PY_SCALARS_H
#define CORO_PY_SCALARS_H

#include "state.h"

PyObject *core_arguments(const coro_external *call); /* a tuple of ints and floats */
/* Puts what a callable gave into the result that is wanted. -1 with an exception set. */
int core_take_scalar(PyObject *given, coro_value *value);
PyObject *core_results(const coro_value *values, size_t count); /* a tuple of bits as ints; None: undefined */
/* Of a tuple of ints, each the bits of one scalar; the caller's to free by PyMem_Free. NULL with an exception set. */
coro_value *core_scalars(PyObject *tuple);

#endif
