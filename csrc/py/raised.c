/* Exceptions of compiled code: converts a status to an exception, with the exceptions that a `finally` ran for as its
   __context__ chain.
   Requires: channel.h. Guarantees: the traceback has the line of the function. */
#include <stdlib.h>
#include <string.h>

#include "channel.h"

struct native_contexts {
  size_t count;
  int32_t statuses[]; /* the newest first */
};

/* ---- The contexts, for compiled code ---- */

static size_t exception_context_depth(const struct native_contexts *contexts)
{
  return contexts ? contexts->count : 0;
}

struct native_contexts *native_chain_contexts(struct native_contexts *own, int32_t status,
                                              struct native_contexts *older)
{
  if (!status)
    return own; /* the finally ran for no exception, and there are no older ones */
  size_t count = exception_context_depth(own), more = exception_context_depth(older);
  struct native_contexts *made = realloc(own, sizeof *made + (count + 1 + more) * sizeof made->statuses[0]);
  if (made) {
    made->statuses[count] = status;
    if (more)
      memcpy(made->statuses + count + 1, older->statuses, more * sizeof made->statuses[0]);
    made->count = count + 1 + more;
  }
  free(older);
  return made ? made : own; /* without memory the older ones are left out */
}

void native_drop_contexts(struct native_contexts *contexts)
{
  free(contexts);
}

/* ---- Exceptions ---- */

/* Takes the exception that is set, without the first entry of its traceback: that of the Python function `raise`, which
   raises it. */
static PyObject *take_exception_without_first_frame(void)
{
  PyObject *value = core_take_exception(), *traceback = PyException_GetTraceback(value);
  PyObject *next = traceback ? PyObject_GetAttrString(traceback, "tb_next") : NULL;
  if (next && next != Py_None && PyException_SetTraceback(value, next) < 0)
    PyErr_Clear();
  Py_XDECREF(next);
  Py_XDECREF(traceback);
  return value;
}

void native_set_exception(PyObject *exception)
{
  PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(exception)), Py_NewRef(exception), PyException_GetTraceback(exception));
}

/* Returns the exception that Python's `raise` function raises for the site: `thrown`, which keeps its context, or the
   site's own if that is NULL. */
static PyObject *create_exception_at_site(const struct native_object *native, int32_t site, PyObject *thrown)
{
  PyObject *context = thrown ? PyException_GetContext(thrown) : NULL;
  PyObject *made = PyObject_CallFunction(native->raise, "iO", site, thrown ? thrown : Py_None);
  if (made)
    PyErr_Format(PyExc_SystemError,
                 "a compiled function returned status %d, which has no exception: this is a bug in pycoro", site);
  Py_XDECREF(made);
  PyObject *error = take_exception_without_first_frame();
  if (error == thrown)
    PyException_SetContext(error, context);
  else
    Py_XDECREF(context);
  return error;
}

static PyObject *exception_of_status(const struct native_object *native, const struct native_channel *channel,
                                     int32_t status, PyObject *thrown)
{
  if (status != NATIVE_THROWN)
    return create_exception_at_site(native, status, NULL);
  return channel->thrown_at ? create_exception_at_site(native, channel->thrown_at, thrown) : Py_NewRef(thrown);
}

PyObject *native_take_raised_exception(const struct native_object *native, struct native_channel *channel,
                                       PyObject *thrown)
{
  struct native_contexts *contexts = channel->contexts;
  channel->contexts = NULL;
  PyObject *before = NULL;
  for (size_t i = exception_context_depth(contexts) + 1; i--;) { /* the oldest first, and the exception itself last */
    int32_t status = i ? contexts->statuses[i - 1] : channel->status;
    PyObject *error = exception_of_status(native, channel, status, thrown);
    if (before)
      PyException_SetContext(error, before);
    before = error;
  }
  native_drop_contexts(contexts);
  return before;
}
