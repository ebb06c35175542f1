/* Methods of Interpreter: the names that a program has, and the memory that it may use.
   Needs: interp_use.h. Leaves: what is shared the host's, which takes it back. */
#ifndef PYCORO_PY_INTERP_MEMORY_H
#define PYCORO_PY_INTERP_MEMORY_H

#include "interp_use.h"

PyObject *core_interp_define(PyObject *self, PyObject *args);
PyObject *core_interp_lookup(PyObject *self, PyObject *name);
PyObject *core_interp_defined(PyObject *self, PyObject *args);
PyObject *core_interp_wrote(PyObject *self, PyObject *args);
PyObject *core_interp_owns(PyObject *self, PyObject *args);
PyObject *core_interp_share(PyObject *self, PyObject *args);
PyObject *core_interp_unshare(PyObject *self, PyObject *argument);
PyObject *core_interp_trust(PyObject *self, PyObject *nothing);

#endif
