/* Converts a status and its diagnostics to an exception of pycoro.errors.
   Requires: `pycoro.errors.error_for_status(status, diagnostics)`.
   Guarantees: an exception is set. */
#include "state.h"

static const char *status_name(coro_status status)
{
  static const struct {
    coro_status status;
    const char *name;
  } names[] = {
#define CORO_STATUS(name, value, exit, text) {CORO_##name, #name},
#include "status.def"
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].status == status)
      return names[i].name;
  return "EBUG";
}

static PyObject *diagnostic_dict(const void *diags, size_t index)
{
  const coro_diag *diag = coro_diags_get(diags, index);
  static const struct core_member members[] = {
      CORE_MEMBERS(coro_diag, TEXT, rule, function, block, instruction, message, hint, passes),
      CORE_MEMBERS(coro_diag, U32, at, length),
      CORE_LAST,
  };
  PyObject *dict = core_make_dict(diag, members);
  if (dict &&
      (core_dict_set_owned(dict, "status", core_make_str(status_name(diag->status))) < 0 ||
       core_dict_set_owned(dict, "severity", core_make_str(diag->severity == CORO_WARNING ? "warning" : "error")) < 0))
    Py_CLEAR(dict);
  return dict;
}

PyObject *core_tuple_of_diagnostics(const coro_diags *diags)
{
  return core_make_tuple(diags ? coro_diags_count(diags) : 0, diagnostic_dict, diags);
}

static PyObject *import_errors_module(struct core_state *state)
{
  if (!state->errors)
    state->errors = PyImport_ImportModule("pycoro.errors");
  return state->errors;
}

static PyObject *raise_and_release_exception(PyObject *exception)
{
  if (exception) {
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
  }
  return NULL;
}

PyObject *core_take_exception(void)
{
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value;
}

PyObject *core_raise(struct core_state *state, coro_status status, const coro_diags *diags)
{
  if (PyErr_Occurred())
    return NULL;
  if (status == CORO_ENOMEM)
    return PyErr_NoMemory();
  if (!import_errors_module(state))
    return NULL;
  PyObject *tuple = core_tuple_of_diagnostics(diags);
  if (!tuple)
    return NULL;
  PyObject *exception = PyObject_CallMethod(state->errors, "error_for_status", "sO", status_name(status), tuple);
  Py_DECREF(tuple);
  return raise_and_release_exception(exception);
}

PyObject *core_raise_named(struct core_state *state, const char *name, const char *message)
{
  return import_errors_module(state)
             ? raise_and_release_exception(PyObject_CallMethod(state->errors, name, "s", message))
             : NULL;
}

PyObject *core_raise_for_type(const char *format, PyObject *object)
{
  PyObject *name = PyType_GetName(Py_TYPE(object));
  if (name)
    PyErr_Format(PyExc_TypeError, format, name);
  Py_XDECREF(name);
  return NULL;
}

coro_diags *core_create_diags_or_null(void)
{
  coro_diags *diags = NULL;
  coro_diags_create(&diags);
  return diags;
}

PyObject *core_none_or_raise(PyObject *self, coro_status status, coro_diags *diags)
{
  PyObject *result = status == CORO_OK ? Py_NewRef(Py_None) : core_raise(core_state_of(self), status, diags);
  coro_diags_free(diags);
  return result;
}

PyObject *core_object_or_raise(PyObject *object, coro_status status, coro_diags *diags)
{
  PyObject *done = core_none_or_raise(object, status, diags);
  Py_XDECREF(done);
  if (!done)
    Py_CLEAR(object);
  return object;
}

PyObject *core_address_int_or_raise(PyObject *self, coro_status status, coro_diags *diags, const void *address)
{
  PyObject *result = status == CORO_OK ? PyLong_FromVoidPtr((void *)(uintptr_t)address)
                                       : core_raise(core_state_of(self), status, diags);
  coro_diags_free(diags);
  return result;
}
