/* Converts between scalars of the interpreted program and Python numbers.
   Requires: state.h. */
#pragma once

#include "state.h"

PyObject *core_tuple_of_arguments(const coro_external *call); /* a tuple of ints and floats */
/* Stores a callable's result as a scalar of the wanted type. -1 with an exception set. */
int core_read_scalar_from_object(PyObject *given, coro_value *value);
PyObject *core_tuple_of_results(const coro_value *values, size_t count); /* a tuple of bits as ints; None: undefined */
/* Converts a tuple of ints, each the bits of one scalar. The caller frees it by PyMem_Free. NULL with an exception
   set. */
coro_value *core_values_from_int_tuple(PyObject *tuple);
