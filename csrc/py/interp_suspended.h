/* Methods of Interpreter for suspended coroutines.
   Requires: interp_lock.h. */
#ifndef PYCORO_PY_INTERP_STOPPED_H
#define PYCORO_PY_INTERP_STOPPED_H

#include "interp_lock.h"

PyObject *core_interp_known(PyObject *self, PyObject *argument);
PyObject *core_interp_suspend(PyObject *self, PyObject *argument);
PyObject *core_interp_names(PyObject *self, PyObject *argument);
PyObject *core_interp_kept(PyObject *self, PyObject *args);
PyObject *core_interp_keep(PyObject *self, PyObject *args);
PyObject *core_interp_again(PyObject *self, PyObject *args);

#endif
