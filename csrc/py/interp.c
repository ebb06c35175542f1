/* The type Interpreter, a wrapper of coro_interp. It executes without the GIL and acquires it for callbacks.
   Requires: interp_object.h.
   Guarantees: an exception of a callback stays set unchanged; shared memory stays the host's, which revokes it. */
#include "interp_object.h"

/* ---- The program's symbols, and memory shared with the host, which revokes it ---- */

/* Unlocks the interpreter, and returns None or raises the error. */
static PyObject *leave_and_return_none_or_raise(PyObject *self, coro_status status, coro_diags *diags)
{
  core_interp_leave(self);
  return core_none_or_raise(self, status, diags);
}

static PyObject *define_symbol(PyObject *self, const char *name, void *address)
{
  coro_interp *interp = core_interp_enter(self);
  if (!interp)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  return leave_and_return_none_or_raise(self, coro_interp_define(interp, name, address, diags), diags);
}

static PyObject *interp_define(PyObject *self, PyObject *args)
{
  PyObject *name, *number;
  void *address = PyArg_ParseTuple(args, "OO:define", &name, &number) ? core_nonnull_address_of_int(number) : NULL;
  return address ? core_with_name(self, name, define_symbol, address) : NULL;
}

static PyObject *lookup_symbol(PyObject *object, const char *name, void *Py_UNUSED(data))
{
  struct interp_object *self = (struct interp_object *)object;
  coro_interp *interp = core_interp_enter(object);
  if (!interp)
    return NULL;
  void *address = NULL;
  coro_diags *diags = core_create_diags_or_null();
  core_detach(&self->thread);
  coro_status status = coro_interp_address(interp, name, &address, diags);
  core_attach(&self->thread);
  core_interp_leave(object);
  return core_address_int_or_raise(object, status, diags, address);
}

CORE_METHOD(interp_lookup, name, core_with_name(self, name, lookup_symbol, NULL))

struct address_range {
  void *address;
  size_t size;
};

/* Parses (address, size) arguments and locks the interpreter. NULL with an exception set. */
static coro_interp *enter_for_address_range(PyObject *self, PyObject *args, const char *format,
                                            struct address_range *range)
{
  PyObject *number;
  Py_ssize_t length;
  if (!PyArg_ParseTuple(args, format, &number, &length))
    return NULL;
  range->size = (size_t)(length < 0 ? 0 : length);
  range->address = core_nonnull_address_of_int(number);
  return range->address ? core_interp_enter(self) : NULL;
}

static PyObject *query_address_range(PyObject *self, PyObject *args, const char *format,
                                     bool (*holds)(coro_interp *, const void *, size_t))
{
  struct address_range range;
  coro_interp *interp = enter_for_address_range(self, args, format, &range);
  if (!interp)
    return NULL;
  bool answer = holds(interp, range.address, range.size);
  core_interp_leave(self);
  return PyBool_FromLong(answer);
}

CORE_METHOD(interp_defined, args, query_address_range(self, args, "On:defined", coro_interp_is_defined))

static PyObject *interp_wrote(PyObject *self, PyObject *args)
{
  struct address_range range;
  coro_interp *interp = enter_for_address_range(self, args, "On:wrote", &range);
  if (interp)
    coro_interp_mark_written(interp, range.address, range.size);
  return interp ? leave_and_return_none_or_raise(self, CORO_OK, NULL) : NULL;
}

CORE_METHOD(interp_owns, args, query_address_range(self, args, "On:owns", coro_interp_is_accessible))

static PyObject *interp_share(PyObject *self, PyObject *args)
{
  struct address_range range;
  coro_interp *interp = enter_for_address_range(self, args, "On:share", &range);
  if (!interp)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  return leave_and_return_none_or_raise(self, coro_interp_share(interp, range.address, range.size, diags), diags);
}

static PyObject *interp_unshare(PyObject *self, PyObject *argument)
{
  void *address = core_nonnull_address_of_int(argument);
  coro_interp *interp = address ? core_interp_enter(self) : NULL;
  if (interp)
    coro_interp_unshare(interp, address);
  return interp ? leave_and_return_none_or_raise(self, CORO_OK, NULL) : NULL;
}

static PyObject *interp_trust(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  coro_interp *interp = core_interp_enter(self);
  if (interp)
    coro_interp_allow_all_memory(interp);
  return interp ? leave_and_return_none_or_raise(self, CORO_OK, NULL) : NULL;
}

/* ---- Callbacks ---- */

/* Converts a callback's result. NotImplemented: the symbol is undefined. A tuple: (exception, type) to throw. */
static int store_callback_result_or_thrown(PyObject *given, coro_external *call)
{
  if (!given)
    return 1;
  if (given == Py_NotImplemented)
    return CORO_EXTERNAL_UNKNOWN;
  if (!PyTuple_Check(given))
    return core_read_scalar_from_object(given, &call->result) < 0;
  PyObject *exception, *type;
  if (!PyArg_ParseTuple(given, "OO", &exception, &type))
    return 1;
  call->thrown = true;
  call->exception = PyLong_AsVoidPtr(exception);
  call->exception_type = PyLong_AsVoidPtr(type);
  return PyErr_Occurred() != NULL;
}

static int call_external(void *user, coro_external *call)
{
  struct interp_object *self = user;
  core_attach(&self->thread);
  PyObject *args = core_tuple_of_arguments(call), *name = core_make_str(call->name), *type = core_make_str(call->type);
  PyObject *address = PyLong_FromVoidPtr((void *)(uintptr_t)call->address);
  PyObject *given = NULL;
  if (args && name && type && address)
    given = PyObject_CallFunctionObjArgs(self->external, name, address, type, args, NULL);
  int failed = store_callback_result_or_thrown(given, call);
  Py_XDECREF(args);
  Py_XDECREF(name);
  Py_XDECREF(type);
  Py_XDECREF(address);
  Py_XDECREF(given);
  core_detach(&self->thread);
  return failed;
}

static int check_interrupt(void *user)
{
  struct interp_object *self = user;
  if (!self->thread)
    return 0; /* called with the GIL held */
  core_attach(&self->thread);
  int failed = PyErr_CheckSignals() < 0;
  core_detach(&self->thread);
  return failed;
}

/* ---- Life ---- */

static coro_status create_interpreter(struct interp_object *self, PyObject *module_object, coro_interp_options *options,
                                      coro_diags *diags)
{
  const coro_module *module = core_module_acquire(core_state_of((PyObject *)self), module_object);
  coro_status status;
  if (!module)
    return CORO_EUSAGE; /* the exception is already set */
  CORE_WITHOUT_GIL(status = coro_interp_create(&self->interp, module, options, diags));
  core_module_release(module_object);
  return status;
}

static PyObject *interp_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"module", "external", "steps", "depth", NULL};
  PyObject *module, *callable;
  unsigned long long steps = 0;
  unsigned int depth = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|KI:Interpreter", keywords, &module, &callable, &steps, &depth))
    return NULL;
  PyObject *object = core_new_of_type_at_state_offset(type, offsetof(struct core_state, interp));
  if (!object)
    return NULL;
  struct interp_object *self = (struct interp_object *)object;
  self->external = Py_NewRef(callable);
  coro_interp_options options = {1, depth, steps, call_external, check_interrupt, self};
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = create_interpreter(self, module, &options, diags);
  return core_object_or_raise(object, status, diags);
}

static PyObject *interp_close(PyObject *object, PyObject *Py_UNUSED(nothing))
{
  struct interp_object *self = (struct interp_object *)object;
  if (self->entries)
    return core_raise_named(core_state_of(object), "BusyError",
                            "the interpreter is running; call close() after it returns");
  coro_interp_free(self->interp);
  self->interp = NULL;
  Py_RETURN_NONE;
}

static void interp_dealloc(PyObject *object)
{
  PyObject_GC_UnTrack(object);
  coro_interp_free(((struct interp_object *)object)->interp);
  core_free_heap_type_object(object);
}

/* ---- Work ---- */

static PyObject *enter_coroutine(PyObject *object, PyObject *argument,
                                 coro_status (*work)(coro_interp *, void *, coro_diags *))
{
  struct interp_object *self = (struct interp_object *)object;
  void *handle = core_nonnull_address_of_int(argument);
  coro_interp *interp = handle ? core_interp_enter(object) : NULL;
  if (!interp)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  core_detach(&self->thread);
  coro_status status = work(interp, handle, diags);
  core_attach(&self->thread);
  core_interp_leave(object);
  return core_none_or_raise(object, status, diags);
}

CORE_METHOD(interp_resume, handle, enter_coroutine(self, handle, coro_interp_resume))
CORE_METHOD(interp_destroy, handle, enter_coroutine(self, handle, coro_interp_destroy))

static PyObject *interp_call(PyObject *object, PyObject *args)
{
  struct interp_object *self = (struct interp_object *)object;
  PyObject *number, *tuple, *result = NULL;
  if (!PyArg_ParseTuple(args, "OO!:call", &number, &PyTuple_Type, &tuple))
    return NULL;
  void *code = core_nonnull_address_of_int(number);
  coro_value *values = code ? core_values_from_int_tuple(tuple) : NULL;
  coro_interp *interp = values ? core_interp_enter(object) : NULL;
  coro_diags *diags = core_create_diags_or_null();
  if (interp) {
    coro_values arguments = {values, (size_t)PyTuple_Size(tuple)}, results = {NULL, 0};
    core_detach(&self->thread);
    coro_status status = coro_interp_call(interp, code, arguments, &results, diags);
    core_attach(&self->thread);
    result = status == CORO_OK ? core_tuple_of_results(results.items, results.count)
                               : core_raise(core_state_of(object), status, diags);
    core_interp_leave(object);
  }
  coro_diags_free(diags);
  PyMem_Free(values);
  return result;
}

CORE_METHOD(raise_if_interp_closed, Py_UNUSED(nothing), core_interp_or_raise_closed(self) ? Py_NewRef(Py_None) : NULL)

static PyObject *get_steps(PyObject *self, void *Py_UNUSED(closure))
{
  const coro_interp *interp = core_interp_or_raise_closed(self);
  return interp ? PyLong_FromUnsignedLongLong(coro_interp_steps(interp)) : NULL;
}

static PyGetSetDef getset[] = {
    {"steps", get_steps, NULL, PyDoc_STR("The number of operations executed so far."), NULL},
    CORE_IS_CLOSED(struct interp_object, interp),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"call", interp_call, METH_VARARGS,
     PyDoc_STR("call($self, code, args, /)\n--\n\nCalls the function at an address. Arguments and results are tuples "
               "of the bits of scalars; None is an undefined value.")},
    {"define", interp_define, METH_VARARGS,
     PyDoc_STR("define($self, name, address, /)\n--\n\nSets the address of a global variable that the module only "
               "declares.")},
    {"lookup", interp_lookup, METH_O,
     PyDoc_STR("lookup($self, name, /)\n--\n\nThe address of a function or global variable in the program.")},
    {"resume", interp_resume, METH_O,
     PyDoc_STR("resume($self, handle, /)\n--\n\nResumes the coroutine with this handle.")},
    {"destroy", interp_destroy, METH_O,
     PyDoc_STR("destroy($self, handle, /)\n--\n\nDestroys the coroutine with this handle.")},
    {"done", core_interp_done, METH_O,
     PyDoc_STR("done($self, handle, /)\n--\n\nWhether the coroutine is suspended at its final suspend point.")},
    {"known", core_interp_known, METH_O,
     PyDoc_STR("known($self, address, /)\n--\n\nThe name of the coroutine identified by this address, in any ABI; "
               "empty if there is none.")},
    {"coroutine", core_interp_coroutine, METH_O,
     PyDoc_STR("coroutine($self, handle, /)\n--\n\nThe name of the coroutine whose frame is at the address; empty if "
               "there is none.")},
    {"suspend", core_interp_suspend, METH_O,
     PyDoc_STR("suspend($self, handle, /)\n--\n\nThe result of its current suspend, with the %; empty while it runs; "
               "None if it is not a coroutine.")},
    {"names", core_interp_names, METH_O,
     PyDoc_STR("names($self, handle, /)\n--\n\nThe names of all values of its function, without the %.")},
    {"saved_value", core_interp_saved_value, METH_VARARGS,
     PyDoc_STR(
         "saved_value($self, handle, value, /)\n--\n\nThe bits of each scalar of the value with this index, at the "
         "current suspend; None is an undefined scalar.")},
    {"set_saved_value", core_interp_set_saved_value, METH_VARARGS,
     PyDoc_STR("set_saved_value($self, handle, value, bits, /)\n--\n\nChanges a value at the current suspend. Returns "
               "whether it "
               "is possible.")},
    {"recompute", core_interp_recompute, METH_VARARGS,
     PyDoc_STR("recompute($self, handle, changed, values, /)\n--\n\nRecomputes those of the values that depend on a "
               "changed value. Returns whether it is possible.")},
    {"defined", interp_defined, METH_VARARGS,
     PyDoc_STR("defined($self, address, size, /)\n--\n\nWhether all bytes of the range are initialized.")},
    {"wrote", interp_wrote, METH_VARARGS,
     PyDoc_STR("wrote($self, address, size, /)\n--\n\nMarks a range as initialized by the host.")},
    {"share", interp_share, METH_VARARGS,
     PyDoc_STR("share($self, address, size, /)\n--\n\nAllows the program to access a range of the host's memory.")},
    {"unshare", interp_unshare, METH_O, PyDoc_STR("unshare($self, address, /)\n--\n\nReverts share() of a range.")},
    {"trust", interp_trust, METH_NOARGS,
     PyDoc_STR("trust($self)\n--\n\nAllows the program to access all memory of the process.")},
    {"owns", interp_owns, METH_VARARGS,
     PyDoc_STR("owns($self, address, size, /)\n--\n\nWhether the program may access the range.")},
    {"hold", raise_if_interp_closed, METH_NOARGS,
     PyDoc_STR("hold($self)\n--\n\nClosedError if the interpreter was closed.")},
    {"close", interp_close, METH_NOARGS,
     PyDoc_STR(
         "close($self)\n--\n\nFrees the program's memory; has no effect if called again. BusyError while it runs.")},
    {NULL, NULL, 0, NULL},
};

static const size_t owned[] = {offsetof(struct interp_object, external), 0};

static PyType_Slot slots[] = {
    CORE_COMMON_SLOTS(
        "Interpreter(module, external, steps=0, depth=0)\n--\n\nInterprets a copy of a module. `external(name, "
        "address, type, args)` implements functions that it only declares; a limit of 0 is no limit.",
        interp_dealloc),
    {Py_tp_new, CORE_SLOT(interp_new)},
    {Py_tp_clear, CORE_SLOT(core_clear_members)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL},
};

const struct core_type_spec core_interp_spec = {"pycoro._core.Interpreter", sizeof(struct interp_object), 0, slots,
                                                owned};
