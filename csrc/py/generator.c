/* The Python types Generator and Coroutine of compiled functions, with the interface of Python's generators and
   coroutines.
   Requires: running.h.
   Guarantees: deallocating a suspended object closes it, as in Python. */
#include "running.h"

/* Takes an object from the free list. NULL if it is empty. */
static struct running *pop_free_object(struct native_object *native)
{
  if (!native->spares)
    return NULL;
  struct running *self = native->spare[--native->spares];
  PyTypeObject *type = Py_TYPE((PyObject *)self);
  PyObject_Init((PyObject *)self, type);
  Py_DECREF(type); /* reference held by the free list */
  self->base.core = Py_NewRef(native->base.core);
  self->native = (struct native_object *)Py_NewRef((PyObject *)native);
  ++self->base.type->live;
  PyObject_GC_Track(self);
  return self;
}

/* NULL with MemoryError set. */
static struct running *new_running_generator(struct native_object *native)
{
  struct core_state *state = core_state_of((PyObject *)native);
  struct core_type *type = native->kind == NATIVE_GENERATOR ? &state->generator : &state->awaited;
  struct running *self = (struct running *)core_new(native->base.core, type);
  if (!self)
    return NULL;
  self->native = (struct native_object *)Py_NewRef((PyObject *)native);
  self->channel = PyMem_Malloc(sizeof *self->channel + (size_t)(native->slots + 1) * sizeof self->channel->slots[0]);
  if (self->channel)
    return self;
  PyErr_NoMemory();
  Py_DECREF((PyObject *)self);
  return NULL;
}

PyObject *native_create_object_or_call_python(PyObject *native, PyObject *args)
{
  struct native_object *of = (struct native_object *)native;
  struct running *self = pop_free_object(of);
  if (!self)
    self = new_running_generator(of);
  if (!self)
    return NULL;
  self->channel->standing = &self->standing;
  self->channel->contexts = NULL;
  int entered = -1;
  if (of->arrays && !(self->arrays = PyMem_Calloc((size_t)of->arrays, sizeof *self->arrays)))
    PyErr_NoMemory();
  else if ((entered = native_call_unless_bool_for_int(of, args, self->channel, self->arrays)) == 0)
    self->frame = self->channel->current;
  if (self->frame)
    return (PyObject *)self;
  Py_DECREF((PyObject *)self);
  return entered > 0 ? PyObject_CallObject(of->python, args) : NULL;
}

void native_free_spare_objects(struct native_object *native)
{
  while (native->spares) {
    struct running *self = native->spare[--native->spares];
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyMem_Free(self->channel);
    PyObject_GC_Del(self);
    Py_DECREF(type);
  }
}

/* Converts a send result to a method's return value: the end becomes StopIteration. */
static PyObject *send_result_to_return_value(PySendResult send_result, PyObject *result)
{
  if (send_result != PYGEN_RETURN)
    return result;
  PyObject *stop = result == Py_None ? NULL : PyObject_CallFunctionObjArgs(PyExc_StopIteration, result, NULL);
  if (stop)
    PyErr_SetObject(PyExc_StopIteration, stop);
  else if (result == Py_None)
    PyErr_SetNone(PyExc_StopIteration);
  Py_XDECREF(stop);
  Py_DECREF(result);
  return NULL;
}

static PyObject *method_send(PyObject *object, PyObject *sent)
{
  PyObject *result;
  PySendResult what = running_send(object, sent, &result);
  return send_result_to_return_value(what, result);
}

static PyObject *generator_next(PyObject *object)
{
  PyObject *result;
  PySendResult what = running_send(object, Py_None, &result);
  if (what == PYGEN_RETURN && result == Py_None) { /* an iterator may end without an exception */
    Py_DECREF(result);
    return NULL;
  }
  return send_result_to_return_value(what, result);
}

/* The exception described by the arguments of throw(); the one that the caller handles is not its context. NULL with
   TypeError set if they describe none. */
static PyObject *create_thrown_exception(PyObject *type, PyObject *value, PyObject *traceback)
{
  PyObject *exception;
  traceback = traceback == Py_None ? NULL : traceback;
  if (traceback && !PyTraceBack_Check(traceback))
    return PyErr_Format(PyExc_TypeError, "throw() third argument must be a traceback object");
  if (PyType_Check(type) && PyType_IsSubtype((PyTypeObject *)type, (PyTypeObject *)PyExc_BaseException)) {
    PyErr_Restore(Py_NewRef(type), value && value != Py_None ? Py_NewRef(value) : NULL, NULL);
    exception = core_take_exception();
    if (exception == value) /* CPython 3.11 does not clear the traceback of an instance */
      (void)PyException_SetTraceback(exception, Py_None);
  } else if (PyType_IsSubtype(Py_TYPE(type), (PyTypeObject *)PyExc_BaseException)) { /* regardless of its __class__ */
    if (value && value != Py_None)
      return PyErr_Format(PyExc_TypeError, "instance exception may not have a separate value");
    exception = Py_NewRef(type);
  } else {
    return core_raise_for_type("exceptions must be classes or instances deriving from BaseException, not %U", type);
  }
  if (traceback && PyException_SetTraceback(exception, traceback) < 0)
    Py_CLEAR(exception);
  return exception;
}

static PyObject *method_throw(PyObject *object, PyObject *args)
{
  struct running *self = (struct running *)object;
  PyObject *type, *value = NULL, *traceback = NULL, *result;
  if (!PyArg_ParseTuple(args, "O|OO:throw", &type, &value, &traceback))
    return NULL;
  /* Constructing it runs Python code, which may end this generator. */
  PyObject *exception = create_thrown_exception(type, value, traceback);
  if (!exception)
    return NULL;
  PySendResult what = running_throw(self, exception, &result);
  Py_DECREF(exception);
  return send_result_to_return_value(what, result);
}

static PyObject *method_close(PyObject *object, PyObject *Py_UNUSED(nothing))
{
  struct running *self = (struct running *)object;
  return running_check_can_resume(self) < 0 || running_close(self) < 0 ? NULL : Py_NewRef(Py_None);
}

/* Closes a suspended object before its deallocation. */
static void close_abandoned_generator(struct running *self)
{
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!self->started && self->native->kind == NATIVE_COROUTINE &&
      PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "coroutine '%U' was never awaited", self->native->name) < 0)
    PyErr_WriteUnraisable(self->native->name);
  bool fits = running_check_can_resume(self) == 0;
  if (!fits || running_close(self) < 0)
    PyErr_WriteUnraisable(self->native->name);
  if (!fits)
    self->frame = NULL; /* leaked, because destroying it needs as much stack */
  PyErr_Restore(type, value, traceback);
}

/* Closes an object in a garbage cycle before its referents are cleared. */
static void generator_finalize(PyObject *object)
{
  struct running *self = (struct running *)object;
  self->collected = true;
  if (self->frame)
    close_abandoned_generator(self);
  if (!self->frame)
    running_free_body(self);
}

static void generator_dealloc(PyObject *object)
{
  struct running *self = (struct running *)object;
  struct native_object *native = self->native;
  PyObject_GC_UnTrack(object);
  if (self->weak)
    PyObject_ClearWeakRefs(object);
  if (self->frame)
    close_abandoned_generator(self);
  running_free_body(self);
  Py_CLEAR(self->delegate);
  Py_CLEAR(self->thrown);
  self->started = self->executing = self->closing = false;
  if (self->channel && !self->collected && native->spares < NATIVE_SPARES) {
    --self->base.type->live;
    native->spare[native->spares++] = self;
    Py_CLEAR(self->base.core);
  } else {
    PyMem_Free(self->channel);
    core_free_heap_type_object(object);
  }
  Py_DECREF((PyObject *)native);
}

static int generator_traverse(PyObject *object, visitproc visit, void *arg)
{
  struct running *self = (struct running *)object;
  Py_VISIT(self->delegate);
  Py_VISIT(self->thrown);
  Py_VISIT(self->native);
  for (Py_ssize_t i = 0; self->arrays && i < self->native->arrays; i++)
    Py_VISIT(self->arrays[i].view.obj);
  return core_traverse_members(object, visit, arg);
}

static int generator_clear(PyObject *object)
{
  struct running *self = (struct running *)object;
  Py_CLEAR(self->delegate);
  return 0;
}

static PyObject *generator_await(PyObject *object)
{
  const struct running *self = (const struct running *)object;
  if (self->frame && self->started && !self->executing)
    return PyErr_Format(PyExc_RuntimeError, "coroutine is being awaited already");
  return Py_NewRef(object);
}

static PyObject *generator_repr(PyObject *object)
{
  const struct running *self = (const struct running *)object;
  return PyUnicode_FromFormat("<compiled %s %U at %p>", running_kind_name(self), self->native->name, (void *)object);
}

static PyObject *get_name(PyObject *object, void *Py_UNUSED(closure))
{
  return Py_NewRef(((struct running *)object)->native->name);
}

static PyObject *get_running(PyObject *object, void *Py_UNUSED(closure))
{
  return PyBool_FromLong(((struct running *)object)->executing);
}

#define GETTERS(running)                                                                                               \
  {"__name__", get_name, NULL, PyDoc_STR("The name of the function."), NULL},                                          \
      {"__qualname__", get_name, NULL, PyDoc_STR("The name of the function."), NULL},                                  \
      {running, get_running, NULL, PyDoc_STR("Whether its body is running."), NULL},                                   \
  {                                                                                                                    \
    NULL, NULL, NULL, NULL, NULL                                                                                       \
  }

static PyGetSetDef generator_getset[] = {GETTERS("gi_running")};
static PyGetSetDef awaited_getset[] = {GETTERS("cr_running")};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct running, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* Unlike the am_await slot, which returns the coroutine itself, the method returns an iterator, for `yield from`. */
CORE_METHOD(method_await, Py_UNUSED(nothing), coroutine_iterator_new(self))

#define METHODS                                                                                                        \
  {"send", method_send, METH_O,                                                                                        \
   PyDoc_STR("send($self, value, /)\n--\n\nResumes it with a value; returns the next value that it yields.")},         \
      {"throw", method_throw, METH_VARARGS,                                                                            \
       PyDoc_STR("throw($self, type, value=None, traceback=None, /)\n--\n\n"                                           \
                 "Raises an exception at its current suspend; enclosing finally blocks are executed.")},               \
  {                                                                                                                    \
    "close", method_close, METH_NOARGS,                                                                                \
        PyDoc_STR("close($self, /)\n--\n\nEnds it at its current suspend; enclosing finally blocks are executed.")     \
  }

static PyMethodDef methods[] = {
    METHODS,
    {NULL, NULL, 0, NULL},
};

static PyMethodDef awaited_methods[] = {
    METHODS,
    {"__await__", method_await, METH_NOARGS | METH_COEXIST,
     PyDoc_STR("__await__($self, /)\n--\n\nAn iterator, for `yield from` in an __await__ method.")},
    {NULL, NULL, 0, NULL},
};

#define SLOTS                                                                                                          \
  {Py_tp_dealloc, CORE_SLOT(generator_dealloc)}, {Py_tp_finalize, CORE_SLOT(generator_finalize)},                      \
      {Py_tp_traverse, CORE_SLOT(generator_traverse)}, {Py_tp_clear, CORE_SLOT(generator_clear)},                      \
      {Py_tp_iternext, CORE_SLOT(generator_next)}, {Py_am_send, CORE_SLOT(running_send)}, {Py_tp_members, members},    \
  {                                                                                                                    \
    Py_tp_repr, CORE_SLOT(generator_repr)                                                                              \
  }

static PyType_Slot generator_slots[] = {
    SLOTS,
    {Py_tp_doc, PyDoc_STR("A natively compiled generator, with the methods of Python's generators.")},
    {Py_tp_iter, CORE_SLOT(core_return_self)},
    {Py_tp_methods, methods},
    {Py_tp_getset, generator_getset},
    {0, NULL},
};

static PyType_Slot awaited_slots[] = {
    SLOTS,
    {Py_tp_doc, PyDoc_STR("A natively compiled coroutine, with the methods of Python's coroutines.")},
    {Py_am_await, CORE_SLOT(generator_await)},
    {Py_tp_methods, awaited_methods},
    {Py_tp_getset, awaited_getset},
    {0, NULL},
};

const struct core_type_spec core_generator_spec = {"pycoro._core.Generator", sizeof(struct running),
                                                   Py_TPFLAGS_DISALLOW_INSTANTIATION, generator_slots, NULL};
const struct core_type_spec core_awaited_spec = {"pycoro._core.Coroutine", sizeof(struct running),
                                                 Py_TPFLAGS_DISALLOW_INSTANTIATION, awaited_slots, NULL};
