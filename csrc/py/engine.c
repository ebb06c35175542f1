/* The type Engine, a wrapper of coro_engine. One thread at a time may add modules and symbols; any number may run
   compiled code.
   Requires: state.h.
   Guarantees: ClosedError or BusyError if an engine cannot be used; code is never freed while it runs. */
#include "state.h"

#include <stdatomic.h>

struct engine_object {
  struct core_object base;
  coro_engine *engine; /* NULL once closed */
  atomic_bool busy;    /* a thread is adding, defining or looking up */
  Py_ssize_t running;  /* number of calls into compiled code that have not returned; protected by the GIL */
};

static coro_engine *engine_of_object(PyObject *object)
{
  coro_engine *engine = ((struct engine_object *)object)->engine;
  if (!engine)
    core_raise_named(core_state_of(object), "ClosedError", "the engine was closed");
  return engine;
}

/* Locks the engine for the calling thread until release. NULL with ClosedError or BusyError set. */
static coro_engine *lock_engine(PyObject *object)
{
  struct engine_object *self = (struct engine_object *)object;
  coro_engine *engine = engine_of_object(object);
  if (!engine || !atomic_exchange(&self->busy, true))
    return engine;
  return (void *)core_raise_named(core_state_of(object), "BusyError", "the engine is in use by another thread");
}

static void unlock_engine(PyObject *object)
{
  atomic_store(&((struct engine_object *)object)->busy, false);
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"quick", NULL};
  int quick = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:Engine", keywords, &quick))
    return NULL;
  PyObject *object = core_new_of_type_at_state_offset(type, offsetof(struct core_state, engine));
  if (!object)
    return NULL;
  struct engine_object *self = (struct engine_object *)object;
  atomic_init(&self->busy, false);
  coro_engine_options options = CORO_ENGINE_OPTIONS_INIT;
  options.quick = quick;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status;
  CORE_WITHOUT_GIL(status = coro_engine_create(&self->engine, &options, diags));
  return core_object_or_raise(object, status, diags);
}

static void free_engine(struct engine_object *self)
{
  coro_engine *engine = self->engine;
  self->engine = NULL;
  CORE_WITHOUT_GIL(coro_engine_free(engine)); /* destructors of modules may call back into Python */
}

static PyObject *engine_close(PyObject *object, PyObject *Py_UNUSED(nothing))
{
  struct engine_object *self = (struct engine_object *)object;
  if (!self->engine)
    Py_RETURN_NONE;
  if (self->running)
    return core_raise_named(core_state_of(object), "BusyError",
                            "code of the engine is running; call close() after it returns");
  if (!lock_engine(object))
    return NULL;
  free_engine(self);
  unlock_engine(object);
  Py_RETURN_NONE;
}

static void engine_dealloc(PyObject *object)
{
  struct engine_object *self = (struct engine_object *)object;
  PyObject_GC_UnTrack(object); /* freeing releases the GIL */
  if (self->engine)
    free_engine(self);
  core_free_heap_type_object(object);
}

static PyObject *define_symbol(PyObject *self, const char *name, void *address)
{
  coro_engine *engine = lock_engine(self);
  if (!engine)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = coro_engine_define(engine, name, address, diags);
  unlock_engine(self);
  return core_none_or_raise(self, status, diags);
}

static PyObject *engine_define_symbol(PyObject *self, PyObject *args)
{
  PyObject *name, *number;
  if (!PyArg_ParseTuple(args, "OO:define", &name, &number))
    return NULL;
  void *address = PyLong_AsVoidPtr(number);
  return PyErr_Occurred() ? NULL : core_with_name(self, name, define_symbol, address);
}

static PyObject *engine_add_library(PyObject *self, PyObject *argument)
{
  void *library = PyLong_AsVoidPtr(argument);
  coro_engine *engine = PyErr_Occurred() ? NULL : lock_engine(self);
  if (!engine)
    return NULL;
  coro_status status = coro_engine_add_library(engine, library);
  unlock_engine(self);
  return core_none_or_raise(self, status, NULL);
}

static coro_status add_copy_of_module(coro_engine *engine, coro_module *module, coro_diags *diags)
{
  return coro_engine_add(engine, module, diags);
}

static coro_status add_module_sandboxed(coro_engine *engine, coro_module *module, coro_diags *diags)
{
  return coro_engine_add_sandboxed(engine, module, diags);
}

/* Adds a locked module and returns its warnings, or NULL with an exception set. Unlocks the engine. */
static PyObject *add_locked_module_and_unlock_engine(PyObject *self, coro_engine *engine, coro_module *module,
                                                     coro_status (*work)(coro_engine *, coro_module *, coro_diags *))
{
  coro_diags *diags = core_create_diags_or_null();
  coro_status status;
  CORE_WITHOUT_GIL(status = work(engine, module, diags));
  unlock_engine(self);
  PyObject *warnings = status == CORO_OK ? core_tuple_of_diagnostics(diags) : NULL;
  PyObject *done = core_none_or_raise(self, status, diags);
  if (!done)
    Py_CLEAR(warnings);
  Py_XDECREF(done);
  return warnings;
}

/* Locks the engine and the module. On failure, NULL with an exception set and neither is locked. */
static coro_engine *lock_engine_and_module_by(coro_module *(*acquire_module)(struct core_state *, PyObject *),
                                              PyObject *self, PyObject *module_object, coro_module **module)
{
  coro_engine *engine = lock_engine(self);
  *module = engine ? acquire_module(core_state_of(self), module_object) : NULL;
  if (engine && !*module) {
    unlock_engine(self);
    return NULL;
  }
  return engine;
}

static coro_engine *lock_engine_and_module(PyObject *self, PyObject *module_object, coro_module **module)
{
  return lock_engine_and_module_by(core_module_acquire, self, module_object, module);
}

static PyObject *lock_and_add_module(PyObject *self, PyObject *module_object,
                                     coro_status (*work)(coro_engine *, coro_module *, coro_diags *))
{
  coro_module *module;
  coro_engine *engine = lock_engine_and_module(self, module_object, &module);
  if (!engine)
    return NULL;
  PyObject *warnings = add_locked_module_and_unlock_engine(self, engine, module, work);
  core_module_release(module_object);
  return warnings;
}

CORE_METHOD(engine_add, module_object, lock_and_add_module(self, module_object, add_copy_of_module))
CORE_METHOD(engine_add_guarded, module_object, lock_and_add_module(self, module_object, add_module_sandboxed))

static PyObject *engine_take(PyObject *self, PyObject *module_object)
{
  coro_module *module;
  coro_engine *engine = lock_engine_and_module_by(core_module_acquire_unless_lent, self, module_object, &module);
  return engine ? add_locked_module_and_unlock_engine(self, engine, core_module_detach_and_unlock(module_object),
                                                      coro_engine_add_owned)
                : NULL;
}

struct index {
  PyObject *module;
  unsigned long long offset;
  unsigned size;
};

static PyObject *track_running_of_function(PyObject *self, const char *coroutine, void *data)
{
  const struct index *index = data;
  coro_module *module;
  coro_engine *engine = lock_engine_and_module(self, index->module, &module);
  if (!engine)
    return NULL;
  bool can = false;
  coro_status status = coro_engine_track_running(engine, module, coroutine, index->offset, index->size, &can);
  core_module_release(index->module);
  unlock_engine(self);
  return status == CORO_OK ? PyBool_FromLong(can) : core_raise(core_state_of(self), status, NULL);
}

static PyObject *engine_track_running(PyObject *self, PyObject *args)
{
  PyObject *coroutine;
  struct index index;
  if (!PyArg_ParseTuple(args, "OOKI:track_running", &index.module, &coroutine, &index.offset, &index.size))
    return NULL;
  return core_with_name(self, coroutine, track_running_of_function, &index);
}

static void append_missing_symbol_name(void *list, const char *name)
{
  PyObject *text = PyErr_Occurred() ? NULL : core_make_str(name);
  if (text) /* otherwise an exception is already set */
    PyList_Append(list, text);
  Py_XDECREF(text);
}

static PyObject *engine_missing_symbols(PyObject *self, PyObject *module_object)
{
  coro_module *module;
  coro_engine *engine = lock_engine_and_module(self, module_object, &module);
  if (!engine)
    return NULL;
  PyObject *list = PyList_New(0);
  if (list && coro_engine_undefined_symbols(engine, module, append_missing_symbol_name, list) != CORO_OK)
    PyErr_SetString(PyExc_SystemError, "coro_engine_undefined_symbols");
  core_module_release(module_object);
  unlock_engine(self);
  if (PyErr_Occurred())
    Py_CLEAR(list);
  return list;
}

static void append_clone_address_and_name(void *list, const char *owner, const void *address)
{
  PyObject *name = PyErr_Occurred() ? NULL : core_make_str(owner);
  PyObject *pair = name ? Py_BuildValue("(NN)", PyLong_FromVoidPtr((void *)address), name) : NULL;
  if (pair)
    PyList_Append(list, pair);
  Py_XDECREF(pair);
}

static PyObject *engine_clones(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  coro_engine *engine = lock_engine(self);
  PyObject *list = engine ? PyList_New(0) : NULL;
  if (list)
    coro_engine_each_clone(engine, append_clone_address_and_name, list);
  if (engine)
    unlock_engine(self);
  if (PyErr_Occurred())
    Py_CLEAR(list);
  return list;
}

static PyObject *lookup_symbol(PyObject *self, const char *name, void *Py_UNUSED(data))
{
  coro_engine *engine = lock_engine(self);
  if (!engine)
    return NULL;
  void *address = NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = coro_engine_lookup(engine, name, &address, diags);
  unlock_engine(self);
  return core_address_int_or_raise(self, status, diags, address);
}

CORE_METHOD(engine_lookup, name, core_with_name(self, name, lookup_symbol, NULL))

/* Converts the argument to a handle that is not null, and checks that the engine is open. NULL with an exception
   set. */
static void *nonnull_handle_of_int_if_engine_open(PyObject *self, PyObject *argument)
{
  if (!engine_of_object(self))
    return NULL;
  void *handle = PyLong_AsVoidPtr(argument);
  if (!handle && !PyErr_Occurred())
    core_raise_named(core_state_of(self), "UsageError", "a null pointer is not a coroutine handle");
  return handle;
}

static PyObject *call_on_handle(PyObject *object, PyObject *argument, coro_status (*work)(coro_engine *, void *))
{
  struct engine_object *self = (struct engine_object *)object;
  void *handle = nonnull_handle_of_int_if_engine_open(object, argument);
  if (!handle)
    return NULL;
  coro_engine *engine = self->engine;
  coro_status status;
  self->running++;
  CORE_WITHOUT_GIL(status = work(engine, handle));
  self->running--;
  return core_none_or_raise(object, status, NULL);
}

CORE_METHOD(engine_resume, argument, call_on_handle(self, argument, coro_engine_resume))
CORE_METHOD(engine_destroy, argument, call_on_handle(self, argument, coro_engine_destroy))

static PyObject *engine_run_constructors(PyObject *object, PyObject *Py_UNUSED(nothing))
{
  struct engine_object *self = (struct engine_object *)object;
  coro_engine *engine = engine_of_object(object);
  if (!engine)
    return NULL;
  self->running++;
  CORE_WITHOUT_GIL(coro_engine_run_constructors(engine));
  self->running--;
  Py_RETURN_NONE;
}

static PyObject *engine_done(PyObject *self, PyObject *argument)
{
  void *handle = nonnull_handle_of_int_if_engine_open(self, argument);
  return handle ? PyBool_FromLong(coro_engine_done(((struct engine_object *)self)->engine, handle)) : NULL;
}

static PyObject *engine_increment_users(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  if (!engine_of_object(self))
    return NULL;
  ((struct engine_object *)self)->running++;
  Py_RETURN_NONE;
}

static PyObject *engine_decrement_users(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  if (((struct engine_object *)self)->running)
    ((struct engine_object *)self)->running--;
  Py_RETURN_NONE;
}

static PyObject *get_triple(PyObject *self, void *Py_UNUSED(closure))
{
  const coro_engine *engine = engine_of_object(self);
  return engine ? core_make_str(coro_engine_triple(engine)) : NULL;
}

static PyObject *get_data_layout(PyObject *self, void *Py_UNUSED(closure))
{
  const coro_engine *engine = engine_of_object(self);
  return engine ? core_make_str(coro_engine_data_layout(engine)) : NULL;
}

static PyGetSetDef getset[] = {
    {"triple", get_triple, NULL, PyDoc_STR("The target triple that it compiles for."), NULL},
    {"data_layout", get_data_layout, NULL, PyDoc_STR("The data layout that it compiles for."), NULL},
    CORE_IS_CLOSED(struct engine_object, engine),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"define", engine_define_symbol, METH_VARARGS,
     PyDoc_STR(
         "define($self, name, address, /)\n--\n\nDefines a symbol at an address, for modules that are added later.")},
    {"take", engine_take, METH_O,
     PyDoc_STR("take($self, module, /)\n--\n\nCompiles a module and closes it, also on failure. Returns warnings.")},
    {"add", engine_add, METH_O,
     PyDoc_STR("add($self, module, /)\n--\n\nCompiles a copy of a lowered module in this process. Returns warnings.")},
    {"add_guarded", engine_add_guarded, METH_O,
     PyDoc_STR("add_guarded($self, module, /)\n--\n\nLike add(), but compiles in a child process first.")},
    {"track_running", engine_track_running, METH_VARARGS,
     PyDoc_STR(
         "track_running($self, module, coroutine, offset, size, /)\n--\n\nMakes a coroutine mark its frame's index "
         "while it runs, in the module to be added next. Returns whether it can.")},
    {"run_constructors", engine_run_constructors, METH_NOARGS,
     PyDoc_STR("run_constructors($self)\n--\n\nRuns the global constructors of added modules that have not been run.")},
    {"missing", engine_missing_symbols, METH_O,
     PyDoc_STR("missing($self, module, /)\n--\n\nUndefined symbols of the module.")},
    {"add_library", engine_add_library, METH_O,
     PyDoc_STR("add_library($self, handle, /)\n--\n\nAdds a shared library in which symbols of compiled code are "
               "looked up.")},
    {"clones", engine_clones, METH_NOARGS,
     PyDoc_STR("clones($self)\n--\n\nAddress and coroutine of each clone in the module that was added last.")},
    {"lookup", engine_lookup, METH_O,
     PyDoc_STR("lookup($self, name, /)\n--\n\nThe address of a function or variable of an added module.")},
    {"resume", engine_resume, METH_O,
     PyDoc_STR("resume($self, handle, /)\n--\n\nResumes the coroutine whose frame is at this address.")},
    {"destroy", engine_destroy, METH_O,
     PyDoc_STR("destroy($self, handle, /)\n--\n\nDestroys the coroutine whose frame is at this address.")},
    {"done", engine_done, METH_O,
     PyDoc_STR("done($self, handle, /)\n--\n\nWhether the coroutine is suspended at its final suspend point.")},
    {"hold", engine_increment_users, METH_NOARGS,
     PyDoc_STR("hold($self)\n--\n\nPrevents close() until release() is called. ClosedError if it was closed.")},
    {"release", engine_decrement_users, METH_NOARGS, PyDoc_STR("release($self)\n--\n\nReverts one hold().")},
    {"close", engine_close, METH_NOARGS,
     PyDoc_STR("close($self)\n--\n\nFrees the code; has no effect if called again. BusyError while code is running.")},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    CORE_COMMON_SLOTS("Engine(quick=False)\n--\n\nA JIT that compiles lowered modules in this process.",
                      engine_dealloc),
    {Py_tp_new, CORE_SLOT(engine_new)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL},
};

const struct core_type_spec core_engine_spec = {"pycoro._core.Engine", sizeof(struct engine_object), 0, slots, NULL};
