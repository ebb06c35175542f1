/* Converts an awaitable to the iterator that is driven for it, as Python's await does.
   Requires: channel.h.
   Guarantees: for a non-awaitable, the TypeError that Python raises. */
#include "channel.h"

enum { ITERABLE_COROUTINE = 0x100 }; /* inspect.CO_ITERABLE_COROUTINE */

int awaitable_cache_python_types(struct core_state *state)
{
  PyObject *types = PyImport_ImportModule("types");
  state->coroutine_class = types ? PyObject_GetAttrString(types, "CoroutineType") : NULL;
  state->generator_class = types ? PyObject_GetAttrString(types, "GeneratorType") : NULL;
  Py_XDECREF(types);
  return state->coroutine_class && state->generator_class ? 0 : -1;
}

/* Whether it is a generator marked awaitable by types.coroutine. -1 with an exception set. */
static int is_generator_based(const struct core_state *state, PyObject *object)
{
  if ((PyObject *)Py_TYPE(object) != state->generator_class)
    return 0;
  PyObject *code = PyObject_GetAttrString(object, "gi_code");
  PyObject *flags = code ? PyObject_GetAttrString(code, "co_flags") : NULL;
  long known = flags ? PyLong_AsLong(flags) : 0;
  Py_XDECREF(code);
  Py_XDECREF(flags);
  return PyErr_Occurred() ? -1 : (known & ITERABLE_COROUTINE) != 0;
}

static bool is_python_or_compiled_coroutine(const struct core_state *state, PyObject *object)
{
  return (PyObject *)Py_TYPE(object) == state->coroutine_class || Py_TYPE(object) == state->awaited.type;
}

static PyObject *raise_not_awaitable(const char *format, PyObject *object)
{
  PyObject *name = PyType_GetName(Py_TYPE(object));
  if (name)
    PyErr_Format(PyExc_TypeError, format, name);
  Py_XDECREF(name);
  return NULL;
}

/* A coroutine of Python's own type is its own iterator, unless it is being awaited already. */
static PyObject *python_coroutine_unless_awaited(PyObject *coroutine)
{
  PyObject *of = PyObject_GetAttrString(coroutine, "cr_await");
  if (!of)
    return NULL;
  bool awaited = of != Py_None;
  Py_DECREF(of);
  if (!awaited)
    return Py_NewRef(coroutine);
  PyErr_SetString(PyExc_RuntimeError, "coroutine is being awaited already");
  return NULL;
}

PyObject *awaitable_iterator(const struct core_state *state, PyObject *object)
{
  if ((PyObject *)Py_TYPE(object) == state->coroutine_class)
    return python_coroutine_unless_awaited(object);
  int based = is_generator_based(state, object);
  if (based)
    return based > 0 ? Py_NewRef(object) : NULL;
  unaryfunc await = (unaryfunc)(intptr_t)PyType_GetSlot(Py_TYPE(object), Py_am_await);
  if (!await)
    return raise_not_awaitable("object %U can't be used in 'await' expression", object);
  PyObject *made = await(object);
  if (!made || Py_TYPE(object) == state->awaited.type)
    return made;
  based = is_generator_based(state, made);
  if (based > 0 || is_python_or_compiled_coroutine(state, made))
    PyErr_SetString(PyExc_TypeError, "__await__() returned a coroutine");
  else if (based == 0 && !PyIter_Check(made))
    raise_not_awaitable("__await__() returned non-iterator of type '%U'", made);
  else if (based == 0)
    return made;
  Py_DECREF(made);
  return NULL;
}
