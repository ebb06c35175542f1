/* Converts Python names to C strings: any bytes except NUL.
   Guarantees: core_with_name releases the string after the function that it calls. */
#include "state.h"

#include <string.h>

/* Raises the error for text that cannot be a name. Returns NULL. */
static PyObject *raise_invalid_name(PyObject *self, PyObject *text, const char *holds)
{
  PyErr_Clear();
  PyObject *said = PyUnicode_FromFormat("%R is not a valid name: it contains %s", text, holds);
  const char *message = said ? PyUnicode_AsUTF8AndSize(said, NULL) : NULL;
  PyObject *result = message ? core_raise_named(core_state_of(self), "UsageError", message) : NULL;
  Py_XDECREF(said);
  return result;
}

PyObject *core_name_bytes(PyObject *self, PyObject *name)
{
  if (!PyUnicode_Check(name))
    return PyErr_Format(PyExc_TypeError, "a name must be a str, not %R", name);
  PyObject *bytes = PyUnicode_AsEncodedString(name, "utf-8", "surrogateescape");
  if (!bytes)
    return PyErr_ExceptionMatches(PyExc_UnicodeError) ? raise_invalid_name(self, name, "a lone surrogate") : NULL;
  if (strlen(PyBytes_AsString(bytes)) == (size_t)PyBytes_Size(bytes))
    return bytes;
  Py_DECREF(bytes);
  return raise_invalid_name(self, name, "a NUL");
}

PyObject *core_with_name(PyObject *self, PyObject *name, core_named_work *work, void *data)
{
  PyObject *bytes = core_name_bytes(self, name);
  PyObject *result = bytes ? work(self, PyBytes_AsString(bytes), data) : NULL;
  Py_XDECREF(bytes);
  return result;
}
