/* A natively compiled generator or coroutine that has been called, as running.c drives it.
   Needs: channel.h. Leaves: nothing. */
#ifndef CORO_PY_RUNNING_H
#define CORO_PY_RUNNING_H

#include "channel.h"

struct running {
  struct core_object base;
  PyObject *weak; /* references to it */
  struct native_object *native;
  struct native_channel *channel; /* its own */
  struct native_array *arrays;
  void *frame;        /* the outermost one's; NULL once it has ended, and before it stands */
  PyObject *delegate; /* of Python's, which it awaits */
  PyObject *thrown;   /* into it, where the status is NATIVE_THROWN */
  struct native_standing standing;
  bool started, executing;
  bool collected; /* Python's collector has finalised it, which it does once with what lies there */
};

/* "generator" or "coroutine" */
const char *running_word(const struct running *self);
/* -1 with ValueError set where its body runs, RecursionError where this thread's stack is too small for it. */
int running_check(const struct running *self);
/* As Py_am_send: goes on with a value. */
PySendResult running_send(PyObject *object, PyObject *sent, PyObject **result);
/* An exception, which is an object, goes on in it. ValueError where its body runs, RuntimeError where a coroutine has
   ended. */
PySendResult running_throw(struct running *self, PyObject *exception, PyObject **result);
/* Ends it where it stands. -1 with an exception set. */
int running_close(struct running *self);
void running_end(struct running *self); /* frees its frame, whatever it stands at */

PyObject *running_caught(void); /* the exception that is set, as an object; none is set any more */
void running_raise(PyObject *exception);

#endif
