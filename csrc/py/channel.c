/* Converts between Python objects and the value slots of a channel, the struct by which Python and compiled functions
   exchange values.
   Requires: channel.h.
   Guarantees: TypeError for a value of another type, OverflowError for an int of more than 64 bits. */
#include "channel.h"

#include <string.h>

/* The number of items of the tuple format that starts there. */
static Py_ssize_t item_count_of_tuple_format(const char *format)
{
  Py_ssize_t count = 0;
  int depth = 0;
  while (*++format != ')' || depth) {
    depth += (*format == '(') - (*format == ')');
    count += !depth;
  }
  return count;
}

static PyObject *make_tuple_from_channel(const char **format, const union native_slot **slot)
{
  PyObject *tuple = PyTuple_New(item_count_of_tuple_format(*format));
  ++*format;
  for (Py_ssize_t i = 0; tuple && **format != ')'; i++)
    core_tuple_set(&tuple, i, native_read_value(format, slot));
  ++*format;
  return tuple;
}

PyObject *native_read_value(const char **format, const union native_slot **slot)
{
  if (**format == '(')
    return make_tuple_from_channel(format, slot);
  switch (*(*format)++) {
  case 'l': return PyLong_FromLongLong((*slot)++->integer);
  case 'd': return PyFloat_FromDouble((*slot)++->real);
  case '?': return PyBool_FromLong((*slot)++->integer != 0);
  default: return Py_NewRef(Py_None);
  }
}

static int store_integer_reporting_bool(PyObject *value, union native_slot *slot)
{
  if (!PyLong_Check(value))
    return core_raise_for_type("expected an int, not %U", value), -1;
  int overflow;
  slot->integer = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow)
    PyErr_SetString(PyExc_OverflowError, "expected an int of at most 64 bits; this one is larger");
  return overflow ? -1 : PyBool_Check(value);
}

static int store_real_in_channel(PyObject *value, union native_slot *slot)
{
  if (!PyFloat_Check(value) && !PyLong_Check(value))
    return core_raise_for_type("expected a float, not %U", value), -1;
  slot->real = PyFloat_Check(value) ? PyFloat_AsDouble(value) : PyLong_AsDouble(value); /* does not call __float__ */
  return slot->real == -1.0 && PyErr_Occurred() ? -1 : 0;
}

static int store_tuple_reporting_bool(const char **format, PyObject *value, union native_slot **slot)
{
  if (!PyTuple_Check(value))
    return core_raise_for_type("expected a tuple, not %U", value), -1;
  Py_ssize_t index = 0, size = PyTuple_Size(value);
  int taken = 0;
  for (++*format; **format != ')'; index++) {
    if (index == size) {
      PyErr_Format(PyExc_TypeError, "expected a tuple of more than %zd items", size);
      return -1;
    }
    int item = native_store_value_reporting_bool(format, PyTuple_GetItem(value, index), slot);
    if (item < 0)
      return -1;
    taken |= item;
  }
  ++*format;
  if (index < size) {
    PyErr_Format(PyExc_TypeError, "expected a tuple of %zd items, not of %zd", index, size);
    return -1;
  }
  return taken;
}

int native_store_value_reporting_bool(const char **format, PyObject *value, union native_slot **slot)
{
  if (**format == '(')
    return store_tuple_reporting_bool(format, value, slot);
  switch (*(*format)++) {
  case 'l': return store_integer_reporting_bool(value, (*slot)++);
  case 'd': return store_real_in_channel(value, (*slot)++);
  case '?':
    if (!PyBool_Check(value))
      return core_raise_for_type("expected a bool, not %U", value), -1;
    (*slot)++->integer = value == Py_True;
    return 0;
  default: return 0;
  }
}

/* ---- Arrays ---- */

static const char *const names[] = {"ints", "floats", "bools"};

static size_t index_of_element_name(char element)
{
  return element == 'l' ? 0 : element == 'd' ? 1 : 2;
}

static size_t element_size(char element)
{
  return element == '?' ? 1 : 8;
}

static int copy_list_or_tuple_reporting_bool(char element, PyObject *value, Py_ssize_t length,
                                             struct native_array *array)
{
  bool list = PyList_Check(value);
  size_t size = element_size(element);
  char *memory = array->copy = PyMem_Calloc((size_t)length + 1, size);
  if (!memory) {
    PyErr_NoMemory();
    return -1;
  }
  int taken = 0;
  for (Py_ssize_t i = 0; i < length; i++) {
    union native_slot slot, *at = &slot;
    const char format[] = {element, 0}, *rest = format;
    /* a borrowed reference; no Python code runs here */
    PyObject *item = list ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i);
    int one = item ? native_store_value_reporting_bool(&rest, item, &at) : -1;
    if (one < 0)
      return -1;
    taken |= one;
    if (size == 1)
      memory[i] = (char)slot.integer;
    else
      memcpy(memory + (size_t)i * size, &slot, size);
  }
  return taken;
}

static bool view_has_element_type(char element, const Py_buffer *view)
{
  const char *format = view->format ? view->format : "B";
  format += *format == '@' || *format == '=';
  bool known = element == 'l' ? *format == 'q' || *format == 'l' || *format == 'n' : *format == element;
  return known && !format[1] && (size_t)view->itemsize == element_size(element);
}

int native_store_array_reporting_bool(const char *format, PyObject *value, union native_slot *slots,
                                      struct native_array *array)
{
  bool written = format[0] == '&';
  char element = format[1];
  if (PyList_Check(value) || PyTuple_Check(value)) {
    if (written) {
      PyErr_Format(PyExc_TypeError,
                   "the function writes to this argument, but a list is passed as a copy: pass an array.array or "
                   "another buffer of %s",
                   names[index_of_element_name(element)]);
      return -1;
    }
    slots[1].integer = PyList_Check(value) ? PyList_Size(value) : PyTuple_Size(value);
    int taken = copy_list_or_tuple_reporting_bool(element, value, (Py_ssize_t)slots[1].integer, array);
    slots[0].address = array->copy;
    return taken;
  }
  if (!PyObject_CheckBuffer(value)) {
    PyErr_Format(PyExc_TypeError, "expected a list or a buffer of %s", names[index_of_element_name(element)]);
    return -1;
  }
  int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (written ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(value, &array->view, flags) < 0)
    return -1;
  if (array->view.ndim != 1 || !view_has_element_type(element, &array->view)) {
    PyErr_Format(PyExc_TypeError, "expected a one-dimensional buffer of %s (format '%c'), not one of format '%s'",
                 names[index_of_element_name(element)], element == 'l' ? 'q' : element,
                 array->view.format ? array->view.format : "B");
    return -1;
  }
  slots[0].address = array->view.buf;
  slots[1].integer = array->view.len / array->view.itemsize;
  return 0;
}

void native_release_and_free_arrays(struct native_array *arrays, Py_ssize_t count)
{
  for (Py_ssize_t i = 0; arrays && i < count; i++) {
    PyMem_Free(arrays[i].copy);
    if (arrays[i].view.obj)
      PyBuffer_Release(&arrays[i].view);
  }
  PyMem_Free(arrays);
}

/* ---- For compiled code ---- */

double native_divide(int64_t left, int64_t right)
{
  PyObject *a = PyLong_FromLongLong(left), *b = PyLong_FromLongLong(right);
  PyObject *quotient = a && b ? PyNumber_TrueDivide(a, b) : NULL;
  double result = quotient ? PyFloat_AsDouble(quotient) : 0;
  if (!quotient)
    PyErr_Clear(); /* out of memory for two ints; the divisor is never zero here */
  Py_XDECREF(a);
  Py_XDECREF(b);
  Py_XDECREF(quotient);
  return result;
}
