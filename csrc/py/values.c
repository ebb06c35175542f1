/* Conversion of C strings, structs and arrays to Python objects, structs by a table of members. Guarantees: new
   references. */
#include "state.h"

#include <string.h>

PyObject *core_text_sized(const char *text, size_t size)
{
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "surrogateescape");
}

PyObject *core_text(const char *text)
{
  return core_text_sized(text, strlen(text));
}

static PyObject *value_of(const char *at, const struct core_member *member)
{
  switch (member->kind) {
  case CORE_TEXT: return core_text(*(const char *const *)(const void *)at);
  case CORE_BOOL: return PyBool_FromLong(*(const bool *)at);
  case CORE_INDEX:
    if (*(const uint32_t *)(const void *)at == CORO_NONE)
      return Py_NewRef(Py_None);
    /* fall through */
  case CORE_U32: return PyLong_FromUnsignedLong(*(const uint32_t *)(const void *)at);
  case CORE_U64: return PyLong_FromUnsignedLongLong(*(const uint64_t *)(const void *)at);
  case CORE_SIZE: return PyLong_FromSize_t(*(const size_t *)(const void *)at);
  case CORE_DOUBLE: return PyFloat_FromDouble(*(const double *)(const void *)at);
  case CORE_NAME: return core_text(member->names[*(const int *)(const void *)at]);
  case CORE_END: break;
  }
  PyErr_SetString(PyExc_SystemError, "unknown kind of table member");
  return NULL;
}

int core_dict_set_owned(PyObject *dict, const char *key, PyObject *value)
{
  int result = value ? PyDict_SetItemString(dict, key, value) : -1;
  Py_XDECREF(value);
  return result;
}

PyObject *core_dict(const void *structure, const struct core_member *members)
{
  PyObject *dict = PyDict_New();
  for (; dict && members->kind != CORE_END; members++)
    if (core_dict_set_owned(dict, members->key, value_of((const char *)structure + members->offset, members)) < 0)
      Py_CLEAR(dict);
  return dict;
}

PyObject *core_tuple(size_t count, core_item *make, const void *of)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject *item = make(of, i);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) < 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

PyObject *core_number_item(const void *numbers, size_t index)
{
  return PyLong_FromUnsignedLong(((const uint32_t *)numbers)[index]);
}

PyObject *core_text_item(const void *texts, size_t index)
{
  return core_text(((const char *const *)texts)[index]);
}
