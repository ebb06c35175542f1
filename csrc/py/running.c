/* Drives compiled generators and coroutines: send, throw and close.
   Requires: a frame at a suspend, with its channel.
   Guarantees: each `finally` runs once; the frame is freed at the end. */
#include "running.h"

static void resume_coroutine_body(void *frame)
{
  (*(void (**)(void *))frame)(frame);
}

static bool is_coroutine_body_done(void *frame)
{
  return !*(void **)frame;
}

static void destroy_coroutine_body(void *frame)
{
  (((void (**)(void *))frame)[1])(frame);
}

/* Frees the frame of the body, at any suspend, with its arrays and exception contexts. The object stays. */
void running_free_body(struct running *self)
{
  struct native_array *arrays = self->arrays;
  void *frame = self->frame;
  self->frame = NULL;
  self->arrays = NULL;
  if (frame)
    destroy_coroutine_body(frame);
  self->standing.deep = 0;
  if (arrays)
    native_release_and_free_arrays(arrays, self->native->arrays);
  if (self->channel) {
    native_drop_contexts(self->channel->contexts);
    self->channel->contexts = NULL;
  }
}

const char *running_kind_name(const struct running *self)
{
  return self->native->kind == NATIVE_GENERATOR ? "generator" : "coroutine";
}

/* Sets the exception that leaves the body. A StopIteration becomes a RuntimeError, since it would mean the end of
   the generator. */
static void set_body_exception_wrapping_stop_iteration(const struct running *self, PyObject *thrown)
{
  if (!PyErr_GivenExceptionMatches(thrown, PyExc_StopIteration)) {
    native_set_exception(thrown);
    return;
  }
  PyErr_Format(PyExc_RuntimeError, "%s raised StopIteration", running_kind_name(self));
  PyObject *error = core_take_exception();
  PyException_SetCause(error, Py_NewRef(thrown));
  PyException_SetContext(error, Py_NewRef(thrown));
  native_set_exception(error);
  Py_DECREF(error);
}

/* Finishes a body that returned or raised. */
static PySendResult return_result_of_finished_body(struct running *self, PyObject **result)
{
  const char *format = self->native->returns;
  const union native_slot *slot = self->channel->slots;
  int status = self->channel->status;
  PyObject *thrown = self->thrown;
  self->thrown = NULL;
  *result = status ? NULL : native_read_value(&format, &slot);
  if (self->closing) /* its own GeneratorExit, which is dropped, needs no line */
    self->channel->thrown_at = 0;
  PyObject *error = status ? native_take_raised_exception(self->native, self->channel, thrown) : NULL;
  running_free_body(self);
  if (error) {
    set_body_exception_wrapping_stop_iteration(self, error);
    Py_DECREF(error);
  }
  Py_XDECREF(thrown);
  return *result ? PYGEN_RETURN : PYGEN_ERROR;
}

/* Sets the exception that the body raises at its current suspend when it is resumed next. Takes ownership of it. */
static void set_exception_to_raise_on_resume(struct running *self, PyObject *exception)
{
  PyObject *before = self->thrown;
  self->thrown = exception;
  self->channel->status = NATIVE_THROWN;
  Py_XDECREF(before);
}

/* The iterator to drive for the awaitable of a suspend. */
static PyObject *call_python_for_awaitable_iterator(const struct running *self, PyObject *python_call)
{
  PyObject *callable;
  const char *format, *returned;
  if (!PyArg_ParseTuple(python_call, "Oyy", &callable, &format, &returned))
    return NULL;
  const union native_slot *slot = self->channel->slots;
  PyObject *arguments = native_read_value(&format, &slot);
  PyObject *awaitable = arguments ? PyObject_CallObject(callable, arguments) : NULL;
  PyObject *made = awaitable ? awaitable_iterator(core_state_of((PyObject *)self->native), awaitable) : NULL;
  Py_XDECREF(arguments);
  Py_XDECREF(awaitable);
  return made;
}

/* Passes the awaitable's result to the coroutine that awaits it. */
static void pass_awaited_result(struct running *self, PyObject *value)
{
  PyObject *python_call = PyTuple_GetItem(self->native->python_calls, self->channel->wants - NATIVE_CALLS_PYTHON),
           *callable;
  const char *format, *returned;
  union native_slot *slot = self->channel->slots;
  if (!python_call || !PyArg_ParseTuple(python_call, "Oyy", &callable, &format, &returned) ||
      native_store_value_reporting_bool(&returned, value, &slot) < 0)
    set_exception_to_raise_on_resume(self, core_take_exception());
}

/* Resumes the innermost frame. */
static void resume_innermost_coroutine(struct running *self)
{
  self->standing.base = (uintptr_t)__builtin_frame_address(0);
  self->channel->limit = native_stack_limit();
  resume_coroutine_body(self->channel->current);
}

/* Runs the coroutine until it yields or ends. If it awaits a Python object, `sent` is sent to that object. A NULL
   `sent` throws the pending exception into it. */
static PySendResult run_coroutine_until_yield(struct running *self, PyObject *sent, PyObject **result)
{
  struct native_channel *channel = self->channel;
  for (;;) {
    if (self->delegate && sent) {
      PySendResult what = PYGEN_ERROR;
      if (Py_EnterRecursiveCall(" while awaiting") == 0) { /* the awaited object may recurse in C */
        what = PyIter_Send(self->delegate, sent, result);
        Py_LeaveRecursiveCall();
      }
      if (what == PYGEN_NEXT)
        return what;
      Py_CLEAR(self->delegate);
      if (what == PYGEN_ERROR) {
        set_exception_to_raise_on_resume(self, core_take_exception());
      } else {
        pass_awaited_result(self, *result);
        Py_CLEAR(*result);
      }
    }
    resume_innermost_coroutine(self);
    if (is_coroutine_body_done(self->frame))
      return return_result_of_finished_body(self, result);
    if (channel->wants < NATIVE_CALLS_PYTHON) {
      const char *format = self->native->yields;
      const union native_slot *slot = channel->slots;
      *result = native_read_value(&format, &slot);
      return *result ? PYGEN_NEXT : PYGEN_ERROR;
    }
    PyObject *python_call = PyTuple_GetItem(self->native->python_calls, channel->wants - NATIVE_CALLS_PYTHON);
    self->delegate = python_call ? call_python_for_awaitable_iterator(self, python_call) : NULL;
    sent = Py_None;
    if (!self->delegate)
      set_exception_to_raise_on_resume(self, core_take_exception());
  }
}

int running_check_can_resume(const struct running *self)
{
  if (self->executing)
    PyErr_Format(PyExc_ValueError, "%s already executing", running_kind_name(self));
  else if (self->standing.deep && !native_stack_has_space(self->standing.deep))
    PyErr_Format(PyExc_RecursionError, "the stack of this thread is too small to resume the %s at its recursion depth",
                 running_kind_name(self));
  else
    return 0;
  return -1;
}

PySendResult running_send(PyObject *object, PyObject *sent, PyObject **result)
{
  struct running *self = (struct running *)object;
  *result = NULL;
  if (running_check_can_resume(self) < 0)
    return PYGEN_ERROR;
  if (!self->frame) {
    if (self->native->kind == NATIVE_GENERATOR) {
      *result = Py_NewRef(Py_None);
      return PYGEN_RETURN;
    }
    PyErr_SetString(PyExc_RuntimeError, "cannot reuse already awaited coroutine");
    return PYGEN_ERROR;
  }
  if (!self->started && sent != Py_None) {
    PyErr_Format(PyExc_TypeError, "can't send non-None value to a just-started %s", running_kind_name(self));
    return PYGEN_ERROR;
  }
  const char *format = self->native->sends;
  union native_slot *slot = self->channel->slots;
  bool taken = self->started && !self->delegate && self->channel->wants == NATIVE_SENT;
  PySendResult what = PYGEN_ERROR;
  self->executing = true;
  if (!taken || native_store_value_reporting_bool(&format, sent, &slot) >= 0) {
    self->started = true;
    what = run_coroutine_until_yield(self, sent, result);
  }
  self->executing = false;
  return what;
}

/* Throws an exception into the awaited object. Returns whether it yielded a value, in *result, or ended, in which
   case the coroutine continues. Otherwise an exception is set that continues in the coroutine. */
static PySendResult throw_exception_into_awaited_object(struct running *self, PyObject *exception, PyObject **result)
{
  PyObject *delegate = self->delegate;
  if (PyErr_GivenExceptionMatches(exception, PyExc_GeneratorExit)) {
    PyObject *close = PyObject_GetAttrString(delegate, "close");
    PyObject *closed = close ? PyObject_CallObject(close, NULL) : NULL;
    if (!close && PyErr_ExceptionMatches(PyExc_AttributeError))
      PyErr_Clear();
    if (!PyErr_Occurred())
      native_set_exception(exception);
    Py_XDECREF(close);
    Py_XDECREF(closed);
    return PYGEN_ERROR;
  }
  PyObject *throw = PyObject_GetAttrString(delegate, "throw");
  if (!throw && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    native_set_exception(exception);
  }
  *result = throw ? PyObject_CallFunctionObjArgs(throw, exception, NULL) : NULL;
  Py_XDECREF(throw);
  if (*result)
    return PYGEN_NEXT;
  if (!PyErr_ExceptionMatches(PyExc_StopIteration))
    return PYGEN_ERROR;
  PyObject *stop = core_take_exception();
  *result = PyObject_GetAttrString(stop, "value");
  Py_DECREF(stop);
  return *result ? PYGEN_RETURN : PYGEN_ERROR;
}

static PySendResult throw_exception_and_run_until_yield(struct running *self, PyObject *exception, PyObject **result)
{
  if (!self->delegate) {
    set_exception_to_raise_on_resume(self, Py_NewRef(exception));
    return run_coroutine_until_yield(self, NULL, result);
  }
  PySendResult what = PYGEN_ERROR;
  if (Py_EnterRecursiveCall(" while awaiting") == 0) {
    what = throw_exception_into_awaited_object(self, exception, result);
    Py_LeaveRecursiveCall();
  }
  if (what == PYGEN_NEXT)
    return what;
  PyObject *failed = what == PYGEN_ERROR ? core_take_exception() : NULL;
  Py_CLEAR(self->delegate);
  if (failed) {
    set_exception_to_raise_on_resume(self, failed);
  } else {
    pass_awaited_result(self, *result);
    Py_CLEAR(*result);
  }
  return run_coroutine_until_yield(self, NULL, result);
}

PySendResult running_throw(struct running *self, PyObject *exception, PyObject **result)
{
  *result = NULL;
  if (running_check_can_resume(self) < 0)
    return PYGEN_ERROR;
  if (!self->frame && self->native->kind == NATIVE_COROUTINE) {
    PyErr_SetString(PyExc_RuntimeError, "cannot reuse already awaited coroutine");
    return PYGEN_ERROR;
  }
  if (!self->frame) {
    native_set_exception(exception);
    return PYGEN_ERROR;
  }
  PySendResult what;
  self->executing = true;
  if (self->started) {
    what = throw_exception_and_run_until_yield(self, exception, result);
  } else {
    set_exception_to_raise_on_resume(self, Py_NewRef(exception));
    what = return_result_of_finished_body(self, result);
  }
  self->executing = false;
  return what;
}

/* -1 with an exception set. */
int running_close(struct running *self)
{
  PyObject *result = NULL;
  if (!self->frame)
    return 0;
  PyObject *exit = PyObject_CallObject(PyExc_GeneratorExit, NULL);
  if (!exit)
    return -1;
  self->closing = true;
  PySendResult what = running_throw(self, exit, &result);
  self->closing = false;
  Py_DECREF(exit);
  Py_XDECREF(result);
  if (what == PYGEN_NEXT) { /* the awaited object yielded again */
    PyErr_Format(PyExc_RuntimeError, "%s ignored GeneratorExit", running_kind_name(self));
    return -1;
  }
  if (what == PYGEN_ERROR &&
      (PyErr_ExceptionMatches(PyExc_GeneratorExit) || PyErr_ExceptionMatches(PyExc_StopIteration)))
    PyErr_Clear();
  return PyErr_Occurred() ? -1 : 0;
}
