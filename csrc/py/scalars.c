/* Converts between scalars of the interpreted program and Python numbers.
   Guarantees: an exception is set if a number does not fit. */
#include "scalars.h"

#include <string.h>

static PyObject *python_int_of_words(const uint64_t words[2])
{
  PyObject *low = PyLong_FromUnsignedLongLong(words[0]);
  if (!words[1] || !low)
    return low;
  PyObject *high = PyLong_FromUnsignedLongLong(words[1]), *bits = PyLong_FromLong(64);
  PyObject *shifted = high && bits ? PyNumber_Lshift(high, bits) : NULL;
  PyObject *number = shifted ? PyNumber_Or(shifted, low) : NULL;
  Py_XDECREF(low);
  Py_XDECREF(high);
  Py_XDECREF(bits);
  Py_XDECREF(shifted);
  return number;
}

/* The low 128 bits of an int. -1 with an exception set. */
static int words_of_python_int(PyObject *number, uint64_t words[2])
{
  words[0] = PyLong_AsUnsignedLongLongMask(number);
  words[1] = 0;
  if (PyErr_Occurred())
    return -1;
  PyObject *bits = PyLong_FromLong(64), *high = bits ? PyNumber_Rshift(number, bits) : NULL;
  words[1] = high ? PyLong_AsUnsignedLongLongMask(high) : 0;
  Py_XDECREF(bits);
  Py_XDECREF(high);
  return PyErr_Occurred() ? -1 : 0;
}

static PyObject *python_number_of_value(const void *values, size_t index)
{
  const coro_value *value = &((const coro_value *)values)[index];
  float narrow;
  double wide;
  uint32_t word = (uint32_t)value->words[0];
  if (value->kind == CORO_VALUE_FLOAT && value->bits == 32) {
    memcpy(&narrow, &word, sizeof narrow);
    return PyFloat_FromDouble((double)narrow);
  }
  if (value->kind == CORO_VALUE_FLOAT && value->bits == 64) {
    memcpy(&wide, &value->words[0], sizeof wide);
    return PyFloat_FromDouble(wide);
  }
  return python_int_of_words(value->words);
}

int core_read_scalar_from_object(PyObject *given, coro_value *value)
{
  if (!value->bits)
    return 0;
  if (value->kind != CORO_VALUE_FLOAT || (value->bits != 32 && value->bits != 64))
    return words_of_python_int(given, value->words);
  double wide = PyFloat_AsDouble(given);
  float narrow = (float)wide;
  uint32_t word;
  memcpy(&word, &narrow, sizeof word);
  memcpy(&value->words[0], &wide, sizeof wide);
  if (value->bits == 32)
    value->words[0] = word;
  return PyErr_Occurred() ? -1 : 0;
}

PyObject *core_tuple_of_arguments(const coro_external *call)
{
  return core_make_tuple(call->arg_count, python_number_of_value, call->args);
}

static PyObject *python_bits_of_value_or_none(const void *values, size_t index)
{
  const coro_value *value = &((const coro_value *)values)[index];
  return value->defined ? python_int_of_words(value->words) : Py_NewRef(Py_None);
}

PyObject *core_tuple_of_results(const coro_value *values, size_t count)
{
  return core_make_tuple(count, python_bits_of_value_or_none, values);
}

coro_value *core_values_from_int_tuple(PyObject *tuple)
{
  Py_ssize_t count = PyTuple_Size(tuple);
  coro_value *values = PyMem_Calloc((size_t)count + 1, sizeof *values);
  if (!values)
    PyErr_NoMemory();
  for (Py_ssize_t i = 0; values && i < count; i++) {
    values[i].bits = 128;
    values[i].defined = true;
    if (words_of_python_int(PyTuple_GetItem(tuple, i), values[i].words) < 0) {
      PyMem_Free(values);
      return NULL;
    }
  }
  return values;
}
