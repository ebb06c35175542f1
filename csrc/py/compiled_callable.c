/* The type Called, base of the Python class Compiled: a callable that forwards its arguments to a compiled function.
   Requires: channel.h. */
#include "channel.h"

struct called {
  PyObject_HEAD
  PyObject *native; /* the function that it forwards to; NULL or None until it is compiled */
  Py_ssize_t places; /* number of parameters, if all may be passed by position */
};

static PyObject *callable_call(PyObject *object, PyObject *args, PyObject *kwargs)
{
  struct called *self = (struct called *)object;
  bool ready = self->native && self->native != Py_None && (!kwargs || !PyDict_Size(kwargs));
  PyObject *target = ready && PyTuple_Size(args) == self->places
                         ? Py_NewRef(self->native)
                         : PyObject_GetAttrString(object, "_build_bind_and_call");
  PyObject *result = target ? PyObject_Call(target, args, kwargs) : NULL;
  Py_XDECREF(target);
  return result;
}

static void callable_dealloc(PyObject *object)
{
  PyTypeObject *type = Py_TYPE(object);
  freefunc release = (freefunc)(intptr_t)PyType_GetSlot(type, Py_tp_free);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(((struct called *)object)->native);
  release(object);
  Py_DECREF(type);
}

static int callable_traverse(PyObject *object, visitproc visit, void *arg)
{
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(((struct called *)object)->native);
  return 0;
}

static int callable_clear(PyObject *object)
{
  Py_CLEAR(((struct called *)object)->native);
  return 0;
}

static PyMemberDef members[] = {
    {"_native", T_OBJECT, offsetof(struct called, native), 0, PyDoc_STR("The callee.")},
    {"_places", T_PYSSIZET, offsetof(struct called, places), 0, PyDoc_STR("The number of arguments of the callee.")},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, PyDoc_STR("Passes its arguments to a Native if all are positional and none is missing.\nOtherwise "
                          "calls its method _build_bind_and_call.")},
    {Py_tp_dealloc, CORE_SLOT(callable_dealloc)},
    {Py_tp_traverse, CORE_SLOT(callable_traverse)},
    {Py_tp_clear, CORE_SLOT(callable_clear)},
    {Py_tp_call, CORE_SLOT(callable_call)},
    {Py_tp_members, members},
    {0, NULL},
};

int core_add_compiled_callable(PyObject *core)
{
  static const struct core_type_spec spec = {"pycoro._core.Called", sizeof(struct called), Py_TPFLAGS_BASETYPE, slots,
                                             NULL};
  struct core_type type = {NULL};
  int failed = core_add_type(core, &type, &spec);
  Py_XDECREF((PyObject *)type.type);
  return failed;
}
