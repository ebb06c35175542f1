/* The type CoroutineIterator: the result of a compiled coroutine's __await__() for explicit callers such as `yield from
   coroutine.__await__()`. Python's await uses the coroutine directly.
   Requires: channel.h. */
#include "channel.h"

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

static PyObject *method_send(PyObject *object, PyObject *args)
{
  return forward_method(object, "send", args);
}

static PyObject *method_throw(PyObject *object, PyObject *args)
{
  return forward_method(object, "throw", args);
}

static PyObject *method_close(PyObject *object, PyObject *nothing)
{
  return forward_method(object, "close", nothing);
}

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
