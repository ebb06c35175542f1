/* Remarks emitted by passes written in Python.
   Requires: state.h.
   Guarantees: each remark is in the report of the run that lent the module. */
#include "state.h"

enum { PASS, NAME, FUNCTION, MESSAGE, TEXTS };

static PyObject *add_remark_to_report(PyObject *self, PyObject *const *bytes, bool done)
{
  coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  coro_remark remark = {.pass = PyBytes_AsString(bytes[PASS]),
                        .name = PyBytes_AsString(bytes[NAME]),
                        .function = PyBytes_AsString(bytes[FUNCTION]),
                        .message = PyBytes_AsString(bytes[MESSAGE]),
                        .done = done};
  coro_status status = coro_pass_remark(module, &remark);
  core_module_release(self);
  return core_none_or_raise(self, status, NULL);
}

PyObject *core_remark(PyObject *self, PyObject *args)
{
  PyObject *texts[TEXTS], *bytes[TEXTS] = {NULL}, *result = NULL;
  int done, i = 0;
  if (!PyArg_ParseTuple(args, "UUUUp:remark", &texts[PASS], &texts[NAME], &texts[FUNCTION], &texts[MESSAGE], &done))
    return NULL;
  while (i < TEXTS && (bytes[i] = PyUnicode_AsEncodedString(texts[i], "utf-8", "surrogateescape")))
    i++;
  if (i == TEXTS)
    result = add_remark_to_report(self, bytes, done);
  while (i-- > 0)
    Py_DECREF(bytes[i]);
  return result;
}
