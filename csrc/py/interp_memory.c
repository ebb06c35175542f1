/* Methods of Interpreter for the program's symbols and for memory shared with the host.
   Requires: interp_object.h.
   Guarantees: shared memory stays the host's, which revokes it. */
#include "interp_object.h"

/* Unlocks the interpreter, and returns None or raises the error. */
static PyObject *leave_and_return_none_or_raise(PyObject *self, coro_status status, coro_diags *diags)
{
  core_interp_leave(self);
  return core_none_or_raise(self, status, diags);
}

static PyObject *define_symbol(PyObject *self, const char *name, void *address)
{
  coro_interp *interp = core_interp_enter(self);
  if (!interp)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  return leave_and_return_none_or_raise(self, coro_interp_define(interp, name, address, diags), diags);
}

PyObject *core_interp_define(PyObject *self, PyObject *args)
{
  PyObject *name, *number;
  void *address = PyArg_ParseTuple(args, "OO:define", &name, &number) ? core_nonnull_address_of_int(number) : NULL;
  return address ? core_with_name(self, name, define_symbol, address) : NULL;
}

static PyObject *lookup_symbol(PyObject *object, const char *name, void *Py_UNUSED(data))
{
  struct interp_object *self = (struct interp_object *)object;
  coro_interp *interp = core_interp_enter(object);
  if (!interp)
    return NULL;
  void *address = NULL;
  coro_diags *diags = core_create_diags_or_null();
  core_detach(&self->thread);
  coro_status status = coro_interp_address(interp, name, &address, diags);
  core_attach(&self->thread);
  core_interp_leave(object);
  return core_address_int_or_raise(object, status, diags, address);
}

PyObject *core_interp_lookup(PyObject *self, PyObject *name)
{
  return core_with_name(self, name, lookup_symbol, NULL);
}

struct address_range {
  void *address;
  size_t size;
};

/* Parses (address, size) arguments and locks the interpreter. NULL with an exception set. */
static coro_interp *enter_for_address_range(PyObject *self, PyObject *args, const char *format,
                                            struct address_range *range)
{
  PyObject *number;
  Py_ssize_t length;
  if (!PyArg_ParseTuple(args, format, &number, &length))
    return NULL;
  range->size = (size_t)(length < 0 ? 0 : length);
  range->address = core_nonnull_address_of_int(number);
  return range->address ? core_interp_enter(self) : NULL;
}

static PyObject *query_address_range(PyObject *self, PyObject *args, const char *format,
                                     bool (*holds)(coro_interp *, const void *, size_t))
{
  struct address_range range;
  coro_interp *interp = enter_for_address_range(self, args, format, &range);
  if (!interp)
    return NULL;
  bool answer = holds(interp, range.address, range.size);
  core_interp_leave(self);
  return PyBool_FromLong(answer);
}

PyObject *core_interp_defined(PyObject *self, PyObject *args)
{
  return query_address_range(self, args, "On:defined", coro_interp_is_defined);
}

PyObject *core_interp_wrote(PyObject *self, PyObject *args)
{
  struct address_range range;
  coro_interp *interp = enter_for_address_range(self, args, "On:wrote", &range);
  if (interp)
    coro_interp_mark_written(interp, range.address, range.size);
  return interp ? leave_and_return_none_or_raise(self, CORO_OK, NULL) : NULL;
}

PyObject *core_interp_owns(PyObject *self, PyObject *args)
{
  return query_address_range(self, args, "On:owns", coro_interp_is_accessible);
}

PyObject *core_interp_share(PyObject *self, PyObject *args)
{
  struct address_range range;
  coro_interp *interp = enter_for_address_range(self, args, "On:share", &range);
  if (!interp)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  return leave_and_return_none_or_raise(self, coro_interp_share(interp, range.address, range.size, diags), diags);
}

PyObject *core_interp_unshare(PyObject *self, PyObject *argument)
{
  void *address = core_nonnull_address_of_int(argument);
  coro_interp *interp = address ? core_interp_enter(self) : NULL;
  if (interp)
    coro_interp_unshare(interp, address);
  return interp ? leave_and_return_none_or_raise(self, CORO_OK, NULL) : NULL;
}

PyObject *core_interp_trust(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  coro_interp *interp = core_interp_enter(self);
  if (interp)
    coro_interp_allow_all_memory(interp);
  return interp ? leave_and_return_none_or_raise(self, CORO_OK, NULL) : NULL;
}
