/* Methods of Interpreter for suspended coroutines.
   Requires: interp_lock.h. */
#ifndef CORO_PY_INTERP_SUSPENDED_H
#define CORO_PY_INTERP_SUSPENDED_H

#include "interp_lock.h"

PyObject *core_interp_known(PyObject *self, PyObject *argument);
PyObject *core_interp_suspend(PyObject *self, PyObject *argument);
PyObject *core_interp_names(PyObject *self, PyObject *argument);
PyObject *core_interp_saved_value(PyObject *self, PyObject *args);
PyObject *core_interp_set_saved_value(PyObject *self, PyObject *args);
PyObject *core_interp_recompute(PyObject *self, PyObject *args);

#endif
