/* Converts an awaitable to the iterator that is driven for it, as Python's await does. The result of a compiled
   coroutine's __await__() is a CoroutineIterator, for explicit callers such as `yield from coroutine.__await__()`;
   Python's await uses the coroutine directly.
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
  return PyErr_Format(PyExc_RuntimeError, "coroutine is being awaited already");
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
    return core_raise_for_type("object %U can't be used in 'await' expression", object);
  PyObject *made = await(object);
  if (!made || Py_TYPE(object) == state->awaited.type)
    return made;
  based = is_generator_based(state, made);
  if (based > 0 || is_python_or_compiled_coroutine(state, made))
    PyErr_SetString(PyExc_TypeError, "__await__() returned a coroutine");
  else if (based == 0 && !PyIter_Check(made))
    core_raise_for_type("__await__() returned non-iterator of type '%U'", made);
  else if (based == 0)
    return made;
  Py_DECREF(made);
  return NULL;
}

/* ---- The type CoroutineIterator ---- */

struct awaiting {
  struct core_object base;
  PyObject *coroutine;
};

PyObject *coroutine_iterator_new(PyObject *coroutine)
{
  struct core_state *state = core_state_of(coroutine);
  PyObject *core = ((struct core_object *)coroutine)->core;
  PyObject *object = core_new(core, &state->awaiting);
  if (object)
    ((struct awaiting *)object)->coroutine = Py_NewRef(coroutine);
  return object;
}

static PyObject *iterator_next(PyObject *object)
{
  PyObject *coroutine = ((struct awaiting *)object)->coroutine;
  return ((iternextfunc)(intptr_t)PyType_GetSlot(Py_TYPE(coroutine), Py_tp_iternext))(coroutine);
}

static PyObject *forward_method(PyObject *object, const char *name, PyObject *args)
{
  PyObject *method = PyObject_GetAttrString(((struct awaiting *)object)->coroutine, name);
  PyObject *result = method ? PyObject_CallObject(method, args) : NULL;
  Py_XDECREF(method);
  return result;
}

CORE_METHOD(method_send, args, forward_method(self, "send", args))
CORE_METHOD(method_throw, args, forward_method(self, "throw", args))
CORE_METHOD(method_close, nothing, forward_method(self, "close", nothing))

static PyMethodDef methods[] = {
    {"send", method_send, METH_VARARGS, PyDoc_STR("send($self, value, /)\n--\n\nCalls send() of the coroutine.")},
    {"throw", method_throw, METH_VARARGS,
     PyDoc_STR("throw($self, type, value=None, traceback=None, /)\n--\n\nCalls throw() of the coroutine.")},
    {"close", method_close, METH_NOARGS, PyDoc_STR("close($self, /)\n--\n\nCalls close() of the coroutine.")},
    {NULL, NULL, 0, NULL},
};

static const size_t owned[] = {offsetof(struct awaiting, coroutine), 0};

static PyType_Slot slots[] = {
    CORE_COMMON_SLOTS("Iterator over a compiled coroutine, returned by __await__ for yield from.",
                      core_free_heap_type_object),
    {Py_tp_iter, CORE_SLOT(core_return_self)},
    {Py_tp_iternext, CORE_SLOT(iterator_next)},
    {Py_tp_methods, methods},
    {0, NULL},
};

const struct core_type_spec core_awaiting_spec = {"pycoro._core.CoroutineIterator", sizeof(struct awaiting),
                                                  Py_TPFLAGS_DISALLOW_INSTANTIATION, slots, owned};
