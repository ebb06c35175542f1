/* Calls of compiled code: converts Python arguments into channel slots and enters the function.
   Requires: channel.h.
   Guarantees: exceptions name the argument that they are about. */
#include "channel.h"

/* Stores the arguments in the channel. -1 with an exception set that names the parameter. */
static int take_arguments(const struct native_object *self, PyObject *args, struct native_channel *channel,
                          struct native_array *arrays)
{
  const char *format = self->parameters;
  union native_slot *slot = channel->slots;
  Py_ssize_t index = 0, given = PyTuple_Size(args);
  for (; *format && index < given; index++) {
    PyObject *value = PyTuple_GetItem(args, index);
    if (*format != '*' && *format != '&') {
      if (native_take(&format, value, &slot) < 0)
        return (int)index + 1;
      continue;
    }
    if (native_take_array(format, value, slot, arrays++) < 0)
      return (int)index + 1;
    format += 2, slot += 2;
  }
  if (!*format && index == given)
    return 0;
  PyErr_Format(PyExc_TypeError, "%U() is given %zd arguments, and takes %s", self->name, given,
               *format ? "more" : "fewer");
  return -1;
}

/* Adds the number of the argument to the exception that is set. */
static void name_argument(const struct native_object *self, int number)
{
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyErr_Format(type, "argument %d of %U(): %S", number, self->name, value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

int native_enter(const struct native_object *native, PyObject *args, struct native_channel *channel,
                 struct native_array *arrays)
{
  int wrong = take_arguments(native, args, channel, arrays), limit = Py_GetRecursionLimit();
  if (wrong) {
    if (wrong > 0)
      name_argument(native, wrong);
    return -1;
  }
  channel->status = NATIVE_FINE;
  channel->depth = limit < 10000 ? limit : 10000;
  channel->limit = native_stack_limit();
  native->enter(channel);
  if (channel->status)
    native_raise(native, channel->status);
  return channel->status ? -1 : 0;
}
