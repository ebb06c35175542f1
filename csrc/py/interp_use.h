/* The object Interpreter, and who may use it: one thread at a time, until it is closed.
   Needs: state.h. Leaves: ClosedError or BusyError where it cannot be used. */
#ifndef PYCORO_PY_INTERP_USE_H
#define PYCORO_PY_INTERP_USE_H

#include "scalars.h"

struct interp_object {
  struct core_object base;
  coro_interp *interp;   /* NULL once closed */
  PyObject *external;    /* the callable that defines what the module only declares */
  PyThreadState *thread; /* of the caller, while the interpreter works without the GIL; else NULL */
  unsigned long owner;   /* the thread that is in it, as long as `entries` is not 0 */
  Py_ssize_t entries;
};

/* NULL with an exception set. */
coro_interp *core_interp_of(PyObject *object);

/* Enters the interpreter, which the thread that is in it already may do again. NULL with an exception set. */
coro_interp *core_interp_enter(PyObject *object);

void core_interp_leave(PyObject *object);

/* The address that an argument names; NULL with an exception set. */
void *core_interp_address(PyObject *argument);

#endif
