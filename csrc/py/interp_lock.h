/* The object Interpreter, and its lock.
   Requires: state.h.
   Guarantees: ClosedError or BusyError if it cannot be used. */
#ifndef CORO_PY_INTERP_LOCK_H
#define CORO_PY_INTERP_LOCK_H

#include "scalars.h"

struct interp_object {
  struct core_object base;
  coro_interp *interp;   /* NULL once closed */
  PyObject *external;    /* resolves symbols that the module only declares */
  PyThreadState *thread; /* thread state of the caller while the interpreter runs without the GIL; else NULL */
  unsigned long owner;   /* the thread that uses it while `entries` is not 0 */
  Py_ssize_t entries;
};

/* NULL with an exception set. */
coro_interp *core_interp_of(PyObject *object);

/* Locks the interpreter. The owning thread may enter it again. NULL with an exception set. */
coro_interp *core_interp_enter(PyObject *object);

void core_interp_leave(PyObject *object);

/* Converts an argument to an address. NULL with an exception set. */
void *core_interp_address(PyObject *argument);

#endif
