/* Methods of Interpreter: what it tells of the coroutines that stand at a suspend, and what it has them go on with.
   Needs: interp_use.h. Leaves: an exception set where an argument is none. */
#ifndef PYCORO_PY_INTERP_STOPPED_H
#define PYCORO_PY_INTERP_STOPPED_H

#include "interp_use.h"

PyObject *core_interp_known(PyObject *self, PyObject *argument);
PyObject *core_interp_suspend(PyObject *self, PyObject *argument);
PyObject *core_interp_names(PyObject *self, PyObject *argument);
PyObject *core_interp_kept(PyObject *self, PyObject *args);
PyObject *core_interp_keep(PyObject *self, PyObject *args);
PyObject *core_interp_again(PyObject *self, PyObject *args);

#endif
