/* The object Interpreter: its lock, and those of its methods that are not in interp.c.
   Requires: state.h.
   Guarantees: ClosedError or BusyError if it cannot be used. */
#pragma once

#include "state.h"

struct interp_object {
  struct core_object base;
  coro_interp *interp;   /* NULL once closed */
  PyObject *external;    /* resolves symbols that the module only declares */
  PyThreadState *thread; /* thread state of the caller while the interpreter runs without the GIL; else NULL */
  unsigned long owner;   /* the thread that uses it while `entries` is not 0 */
  Py_ssize_t entries;
};

/* NULL with an exception set. */
coro_interp *core_interp_or_raise_closed(PyObject *object);

/* Locks the interpreter. The owning thread may enter it again. NULL with an exception set. */
coro_interp *core_interp_enter(PyObject *object);

void core_interp_leave(PyObject *object);

/* Converts an argument to an address. NULL with an exception set. */
void *core_nonnull_address_of_int(PyObject *argument);

/* ---- Methods for suspended coroutines; in interp_suspended.c ---- */

PyObject *core_interp_done(PyObject *self, PyObject *argument);
PyObject *core_interp_coroutine(PyObject *self, PyObject *argument);
PyObject *core_interp_known(PyObject *self, PyObject *argument);
PyObject *core_interp_suspend(PyObject *self, PyObject *argument);
PyObject *core_interp_names(PyObject *self, PyObject *argument);
PyObject *core_interp_saved_value(PyObject *self, PyObject *args);
PyObject *core_interp_set_saved_value(PyObject *self, PyObject *args);
PyObject *core_interp_recompute(PyObject *self, PyObject *args);
