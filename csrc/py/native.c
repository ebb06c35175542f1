/* The type Native, a callable for a compiled function that passes its values through a channel, and the type Called,
   base of the Python class Compiled, which forwards its arguments to a Native.
   Requires: channel.h.
   Guarantees: the code lives as long as a Native or one of its coroutines. */
#include "channel.h"

static void native_dealloc(PyObject *object)
{
  native_free_spare_objects((struct native_object *)object);
  core_free_heap_type_object(object);
}

static int native_traverse(PyObject *object, visitproc visit, void *arg)
{
  struct native_object *self = (struct native_object *)object;
  for (int i = 0; i < self->spares; i++)
    Py_VISIT(Py_TYPE((PyObject *)self->spare[i]));
  return core_traverse_members(object, visit, arg);
}

/* The number of arrays in a parameter format. */
static Py_ssize_t count_arrays_in_format(const char *format)
{
  Py_ssize_t count = 0;
  for (; *format; format++)
    count += *format == '*' || *format == '&';
  return count;
}

static PyObject *native_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"engine", "enter",   "kind",         "slots",  "formats",
                             "name",   "raising", "python_calls", "python", NULL};
  PyObject *engine, *formats, *name, *raise, *python_calls, *python;
  unsigned long long enter;
  int kind;
  Py_ssize_t slots;
  PyObject *core = PyType_GetModule(type);
  struct core_state *state = PyModule_GetState(core);
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!KinO!UOO!O:Native", keywords, state->engine.type, &engine, &enter,
                                   &kind, &slots, &PyTuple_Type, &formats, &name, &raise, &PyTuple_Type, &python_calls,
                                   &python))
    return NULL;
  const char *parameters, *yields, *sends, *returns;
  if (!PyArg_ParseTuple(formats, "yyyy", &parameters, &yields, &sends, &returns))
    return NULL;
  PyObject *object = core_new(core, &state->native);
  if (!object)
    return NULL;
  struct native_object *self = (struct native_object *)object;
  self->enter = (void (*)(struct native_channel *))(uintptr_t)enter;
  self->kind = (enum native_kind)kind;
  self->slots = slots;
  self->parameters = parameters, self->yields = yields, self->sends = sends, self->returns = returns;
  self->arrays = count_arrays_in_format(parameters);
  self->engine = Py_NewRef(engine), self->raise = Py_NewRef(raise), self->python_calls = Py_NewRef(python_calls);
  self->name = Py_NewRef(name), self->formats = Py_NewRef(formats), self->python = Py_NewRef(python);
  return object;
}

/* Calls a function that is not a coroutine, and returns its result. */
static PyObject *call_plain_function(const struct native_object *self, PyObject *args)
{
  struct native_channel *channel = PyMem_Malloc(sizeof *channel + (size_t)(self->slots + 1) * sizeof channel->slots[0]);
  struct native_array *arrays = self->arrays ? PyMem_Calloc((size_t)self->arrays, sizeof *arrays) : NULL;
  PyObject *result = NULL;
  struct native_standing standing = {0, 0};
  if (channel)
    channel->standing = &standing;
  if (!channel || (self->arrays && !arrays)) {
    PyErr_NoMemory();
  } else {
    int entered = native_call_unless_bool_for_int(self, args, channel, arrays);
    const char *format = self->returns;
    const union native_slot *slot = channel->slots;
    if (entered >= 0)
      result = entered ? PyObject_CallObject(self->python, args) : native_read_value(&format, &slot);
  }
  native_release_and_free_arrays(arrays, self->arrays);
  PyMem_Free(channel);
  return result;
}

static PyObject *native_call(PyObject *object, PyObject *args, PyObject *kwargs)
{
  const struct native_object *self = (const struct native_object *)object;
  if (kwargs && PyDict_Size(kwargs))
    return PyErr_Format(PyExc_TypeError, "%U() takes only positional arguments here", self->name);
  return self->kind == NATIVE_FUNCTION ? call_plain_function(self, args)
                                       : native_create_object_or_call_python(object, args);
}

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR("Native(engine, enter, kind, slots, formats, name, raising, python_calls, python)\n--\n\nA function "
               "of an engine that receives and returns values through a channel.")},
    {Py_tp_new, CORE_SLOT(native_new)},
    {Py_tp_dealloc, CORE_SLOT(native_dealloc)},
    {Py_tp_traverse, CORE_SLOT(native_traverse)},
    {Py_tp_call, CORE_SLOT(native_call)},
    {0, NULL},
};

static const size_t owned[] = {
#define OWNED(member) offsetof(struct native_object, member)
    OWNED(engine), OWNED(raise), OWNED(python), OWNED(python_calls), OWNED(name), OWNED(formats), 0};

const struct core_type_spec core_native_spec = {"pycoro._core.Native", sizeof(struct native_object), 0, slots, owned};

/* A dict of what compiled code calls: addresses by name. */
int core_add_native_symbols(PyObject *core)
{
  const struct {
    const char *name;
    void *address;
  } known[] = {
      {"pycoro.divide", (void *)(intptr_t)native_divide},
      {"pycoro.chain_contexts", (void *)(intptr_t)native_chain_contexts},
      {"pycoro.drop_contexts", (void *)(intptr_t)native_drop_contexts},
  };
  PyObject *symbols = PyDict_New();
  bool made = symbols;
  for (size_t i = 0; made && i < sizeof known / sizeof *known; i++)
    made = core_dict_set_owned(symbols, known[i].name, PyLong_FromVoidPtr(known[i].address)) == 0;
  made = made && PyModule_AddObjectRef(core, "NATIVE_SYMBOLS", symbols) == 0;
  Py_XDECREF(symbols);
  return made ? 0 : -1;
}

/* ---- The type Called ---- */

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

static PyMemberDef called_members[] = {
    {"_native", T_OBJECT, offsetof(struct called, native), 0, PyDoc_STR("The callee.")},
    {"_places", T_PYSSIZET, offsetof(struct called, places), 0, PyDoc_STR("The number of arguments of the callee.")},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot called_slots[] = {
    {Py_tp_doc, PyDoc_STR("Passes its arguments to a Native if all are positional and none is missing.\nOtherwise "
                          "calls its method _build_bind_and_call.")},
    {Py_tp_dealloc, CORE_SLOT(callable_dealloc)},
    {Py_tp_traverse, CORE_SLOT(callable_traverse)},
    {Py_tp_clear, CORE_SLOT(callable_clear)},
    {Py_tp_call, CORE_SLOT(callable_call)},
    {Py_tp_members, called_members},
    {0, NULL},
};

int core_add_compiled_callable(PyObject *core)
{
  static const struct core_type_spec spec = {"pycoro._core.Called", sizeof(struct called), Py_TPFLAGS_BASETYPE,
                                             called_slots, NULL};
  struct core_type type = {NULL};
  int failed = core_add_type(core, &type, &spec);
  Py_XDECREF((PyObject *)type.type);
  return failed;
}
