/* Methods of Interpreter for the program's symbols and for memory shared with the host.
   Requires: interp_lock.h. */
#ifndef CORO_PY_INTERP_MEMORY_H
#define CORO_PY_INTERP_MEMORY_H

#include "interp_lock.h"

PyObject *core_interp_define(PyObject *self, PyObject *args);
PyObject *core_interp_lookup(PyObject *self, PyObject *name);
PyObject *core_interp_defined(PyObject *self, PyObject *args);
PyObject *core_interp_wrote(PyObject *self, PyObject *args);
PyObject *core_interp_owns(PyObject *self, PyObject *args);
PyObject *core_interp_share(PyObject *self, PyObject *args);
PyObject *core_interp_unshare(PyObject *self, PyObject *argument);
PyObject *core_interp_trust(PyObject *self, PyObject *nothing);

#endif
