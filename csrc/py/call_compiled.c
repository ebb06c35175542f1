/* Calls compiled code: converts Python arguments into channel slots and enters the function.
   Requires: channel.h.
   Guarantees: exceptions name the invalid argument. */
#include "channel.h"

/* Stores the arguments in the channel. Returns 0, or with an exception set the number of the invalid argument, counted
   from 1, or -1 for a wrong number of arguments. Clears *no_bool_for_int if a bool was given for an int, because only
   Python code returns it as a bool. */
static int store_arguments_or_number_of_invalid(const struct native_object *self, PyObject *args,
                                                struct native_channel *channel, struct native_array *arrays,
                                                bool *no_bool_for_int)
{
  const char *format = self->parameters;
  union native_slot *slot = channel->slots;
  Py_ssize_t index = 0, given = PyTuple_Size(args);
  for (; *format && index < given; index++) {
    PyObject *value = PyTuple_GetItem(args, index);
    bool array = *format == '*' || *format == '&';
    int taken = array ? native_store_array_reporting_bool(format, value, slot, arrays++)
                      : native_store_value_reporting_bool(&format, value, &slot);
    if (taken < 0)
      return (int)index + 1;
    *no_bool_for_int &= !taken;
    if (array)
      format += 2, slot += 2;
  }
  if (!*format && index == given)
    return 0;
  PyErr_Format(PyExc_TypeError, "%U() was called with %zd arguments, but takes %s", self->name, given,
               *format ? "more" : "fewer");
  return -1;
}

/* Adds the number of the argument to the exception that is set. */
static void add_argument_number_to_exception(const struct native_object *self, int argument_number)
{
  PyObject *value = core_take_exception();
  PyErr_Format((PyObject *)Py_TYPE(value), "argument %d of %U(): %S", argument_number, self->name, value);
  Py_DECREF(value);
}

int native_call_unless_bool_for_int(const struct native_object *native, PyObject *args, struct native_channel *channel,
                                    struct native_array *arrays)
{
  bool no_bool_for_int = true;
  int wrong = store_arguments_or_number_of_invalid(native, args, channel, arrays, &no_bool_for_int),
      limit = Py_GetRecursionLimit();
  channel->contexts = NULL;
  channel->status = NATIVE_FINE;
  if (wrong > 0)
    add_argument_number_to_exception(native, wrong);
  if (wrong || !no_bool_for_int)
    return wrong ? -1 : 1;
  channel->depth = limit < 10000 ? limit : 10000;
  channel->limit = native_stack_limit();
  channel->thrown_at = 0;
  native->enter(channel);
  if (!channel->status)
    return 0;
  PyObject *error = native_take_raised_exception(native, channel, NULL);
  native_set_exception(error);
  Py_DECREF(error);
  return -1;
}
