/* Locks an interpreter for one thread at a time, until it is closed.
   Requires: interp_object.h.
   Guarantees: ClosedError or BusyError if it cannot be used. */
#include "interp_object.h"

coro_interp *core_interp_or_raise_closed(PyObject *object)
{
  coro_interp *interp = ((struct interp_object *)object)->interp;
  if (!interp)
    core_raise_named(core_state_of(object), "ClosedError", "the interpreter was closed");
  return interp;
}

coro_interp *core_interp_enter(PyObject *object)
{
  struct interp_object *self = (struct interp_object *)object;
  coro_interp *interp = core_interp_or_raise_closed(object);
  if (interp && self->entries && self->owner != PyThread_get_thread_ident())
    return (void *)core_raise_named(core_state_of(object), "BusyError", "the interpreter is in use by another thread");
  if (interp && !self->entries++)
    self->owner = PyThread_get_thread_ident();
  return interp;
}

void core_interp_leave(PyObject *object)
{
  ((struct interp_object *)object)->entries--;
}

void *core_nonnull_address_of_int(PyObject *argument)
{
  void *address = PyLong_AsVoidPtr(argument);
  if (!address && !PyErr_Occurred())
    PyErr_SetString(PyExc_ValueError, "a null pointer is neither a handle nor a function");
  return address;
}
