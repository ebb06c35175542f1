/* Converts between Python objects and C strings, structs, arrays and scalars; structs by a table of members.
   Guarantees: new references; an exception is set if a number does not fit. */
#include "state.h"

#include <string.h>

PyObject *core_make_str_of_size(const char *text, size_t size)
{
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "surrogateescape");
}

PyObject *core_make_str(const char *text)
{
  return core_make_str_of_size(text, strlen(text));
}

void core_tuple_set(PyObject **tuple, Py_ssize_t index, PyObject *item)
{
  if (!item)
    Py_CLEAR(*tuple);
  else if (!*tuple)
    Py_DECREF(item);
  else if (PyTuple_SetItem(*tuple, index, item) < 0)
    Py_CLEAR(*tuple);
}

void core_list_append(PyObject **list, PyObject *item)
{
  if (*list && (!item || PyList_Append(*list, item) < 0))
    Py_CLEAR(*list);
  Py_XDECREF(item);
}

PyObject *core_make_tuple(size_t count, core_item *item, const void *of)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++)
    core_tuple_set(&tuple, (Py_ssize_t)i, item(of, i));
  return tuple;
}

void *core_array_for_tuple(PyObject *given, size_t size)
{
  return PyMem_Calloc((PyTuple_Check(given) ? (size_t)PyTuple_Size(given) : 0) + 1, size);
}

int core_read_tuple(PyObject *given, const char *expected, bool allocated, int (*read)(void *into, PyObject *item),
                    void *into)
{
  if (given == Py_None)
    return 0;
  if (!PyTuple_Check(given)) {
    PyErr_SetString(PyExc_TypeError, expected);
    return -1;
  }
  if (!allocated)
    PyErr_NoMemory();
  Py_ssize_t count = PyTuple_Size(given);
  int failed = allocated ? 0 : -1;
  for (Py_ssize_t i = 0; i < count && !failed; i++)
    failed = read(into, PyTuple_GetItem(given, i));
  return failed;
}

PyObject *core_make_int_item(const void *numbers, size_t index)
{
  return PyLong_FromUnsignedLong(((const uint32_t *)numbers)[index]);
}

PyObject *core_make_str_item(const void *texts, size_t index)
{
  return core_make_str(((const char *const *)texts)[index]);
}

/* ---- Structs ---- */

struct elements {
  const char *first;
  const struct core_member *member;
};

static PyObject *make_struct_dict(const void *elements, size_t index)
{
  const struct elements *all = elements;
  return core_make_dict(all->first + index * all->member->size, all->member->members);
}

static PyObject *make_tuple_of_array(const char *structure, const struct core_member *member)
{
  size_t count = *(const size_t *)(const void *)(structure + member->count);
  const void *first = *(const void *const *)(const void *)(structure + member->offset);
  struct elements elements = {first, member};
  return member->item ? core_make_tuple(count, member->item, first)
                      : core_make_tuple(count, make_struct_dict, &elements);
}

static PyObject *python_value_of_member(const char *structure, const struct core_member *member)
{
  const char *at = structure + member->offset;
  switch (member->kind) {
  case CORE_TEXT: return core_make_str(*(const char *const *)(const void *)at);
  case CORE_BOOL: return PyBool_FromLong(*(const bool *)at);
  case CORE_INDEX:
    if (*(const uint32_t *)(const void *)at == CORO_NONE)
      return Py_NewRef(Py_None);
    /* fall through */
  case CORE_U32: return PyLong_FromUnsignedLong(*(const uint32_t *)(const void *)at);
  case CORE_U64: return PyLong_FromUnsignedLongLong(*(const uint64_t *)(const void *)at);
  case CORE_SIZE: return PyLong_FromSize_t(*(const size_t *)(const void *)at);
  case CORE_DOUBLE: return PyFloat_FromDouble(*(const double *)(const void *)at);
  case CORE_NAME: return core_make_str(member->names[*(const int *)(const void *)at]);
  case CORE_STRUCT: return core_make_dict(at, member->members);
  case CORE_ARRAY: return make_tuple_of_array(structure, member);
  case CORE_END: break;
  }
  return PyErr_Format(PyExc_SystemError, "unknown kind of table member");
}

int core_dict_set_owned(PyObject *dict, const char *key, PyObject *value)
{
  int result = value ? PyDict_SetItemString(dict, key, value) : -1;
  Py_XDECREF(value);
  return result;
}

PyObject *core_make_dict(const void *structure, const struct core_member *members)
{
  PyObject *dict = PyDict_New();
  for (; dict && members->kind != CORE_END; members++)
    if (core_dict_set_owned(dict, members->key, python_value_of_member(structure, members)) < 0)
      Py_CLEAR(dict);
  return dict;
}

/* ---- Scalars of an interpreted program ---- */

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
