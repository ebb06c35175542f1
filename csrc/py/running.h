/* State of a called compiled generator or coroutine: sends values, throws exceptions, and delegates to awaited
   objects.
   Requires: channel.h. */
#pragma once

#include "channel.h"

struct running {
  struct core_object base;
  PyObject *weak; /* references to it */
  struct native_object *native;
  struct native_channel *channel; /* owned */
  struct native_array *arrays;
  void *frame;        /* frame of the outermost coroutine; NULL before its start and after its end */
  PyObject *delegate; /* the awaited Python object */
  PyObject *thrown;   /* exception to raise if the status is NATIVE_THROWN */
  struct native_standing standing;
  bool started, executing, closing; /* closing: running_close throws into it */
  bool collected; /* Python's collector has finalized it; it calls the finalizer once */
};

/* "generator" or "coroutine" */
const char *running_kind_name(const struct running *self);
/* -1 with ValueError set if its body is running, RecursionError if this thread's stack is too small. */
int running_check_can_resume(const struct running *self);
/* As Py_am_send: resumes it with a value. */
PySendResult running_send(PyObject *object, PyObject *sent, PyObject **result);
/* Resumes it by raising an exception object. ValueError if its body is running, RuntimeError if a coroutine has
   ended. */
PySendResult running_throw(struct running *self, PyObject *exception, PyObject **result);
/* Ends it at its current suspend. -1 with an exception set. */
int running_close(struct running *self);
void running_free_body(struct running *self); /* frees its frame at any suspend */
