/* The type Module: one coro_module, used by one thread at a time.
   Requires: state.h.
   Guarantees: ClosedError or BusyError if a module cannot be used; never a race, never a crash. */
#include "ir.h"
#include "ir_type.h"
#include "module_lock.h"

/* Creates a Module that owns `module`, which is freed on failure. */
static PyObject *make_module_object(PyObject *core, coro_module *module)
{
  struct core_state *state = PyModule_GetState(core);
  PyObject *object = core_new(core, &state->module);
  if (!object) {
    coro_module_free(module);
    return NULL;
  }
  struct module_object *self = (struct module_object *)object;
  self->module = module;
  atomic_init(&self->busy, false);
  core_module_sync_generation(object);
  return object;
}

/* Returns the Module for a new coro_module, or NULL with the exception for `status`. Frees the diagnostics. */
static PyObject *module_or_exception(PyObject *core, coro_status status, coro_module *module, coro_diags *diags)
{
  PyObject *object =
      status == CORO_OK ? make_module_object(core, module) : core_raise(PyModule_GetState(core), status, diags);
  coro_diags_free(diags);
  return object;
}

/* Returns code or bitcode as bytes, or NULL with the exception for `status`. Frees the text and the diagnostics. */
static PyObject *bytes_or_exception(PyObject *self, coro_status status, char *text, size_t size, coro_diags *diags)
{
  PyObject *bytes = status == CORO_OK ? PyBytes_FromStringAndSize(text, (Py_ssize_t)size)
                                      : core_raise(core_state_of(self), status, diags);
  coro_string_free(text);
  coro_diags_free(diags);
  return bytes;
}

static PyObject *module_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"data", "name", "trusted", "at_risk", NULL};
  Py_buffer data;
  const char *name = "<string>";
  int trusted = false, at_risk = false;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "y*|s$pp:Module", keywords, &data, &name, &trusted, &at_risk))
    return NULL;
  coro_module *module = NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status;
  PyObject *core = PyType_GetModule(type);
  coro_reader *reader = ((struct core_state *)PyModule_GetState(core))->reader;
  size_t size = (size_t)data.len;
  CORE_WITHOUT_GIL(status = at_risk   ? coro_module_parse_unchecked(&module, data.buf, size, name, diags)
                            : trusted ? coro_module_parse(&module, data.buf, size, name, diags)
                                      : coro_module_parse_sandboxed(&module, reader, data.buf, size, name, diags));
  PyBuffer_Release(&data);
  return module_or_exception(core, status, module, diags);
}

static PyObject *module_set_content(PyObject *self, PyObject *args)
{
  Py_buffer data;
  int trusted;
  if (!PyArg_ParseTuple(args, "y*p:set", &data, &trusted))
    return NULL;
  coro_module *module = core_module_acquire(core_state_of(self), self);
  coro_reader *reader = core_state_of(self)->reader;
  PyObject *result = NULL;
  if (module) {
    coro_diags *diags = core_create_diags_or_null();
    coro_status status = CORO_OK;
    Py_BEGIN_ALLOW_THREADS
    if (!trusted)
      status = coro_module_check_sandboxed(reader, data.buf, (size_t)data.len, "", diags);
    if (status == CORO_OK)
      status = coro_module_set(module, data.buf, (size_t)data.len, NULL, diags);
    Py_END_ALLOW_THREADS
    core_module_sync_generation(self);
    core_module_release(self);
    result = core_none_or_raise(self, status, diags);
  }
  PyBuffer_Release(&data);
  return result;
}

static PyObject *module_clone(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  coro_module *clone = NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status;
  CORE_WITHOUT_GIL(status = coro_module_clone(&clone, module, diags));
  core_module_release(self);
  return module_or_exception(((struct core_object *)self)->core, status, clone, diags);
}

PyObject *core_module_link(PyObject *core, PyObject *args)
{
  PyObject *modules;
  const char *name;
  if (!PyArg_ParseTuple(args, "O!s:link", &PyTuple_Type, &modules, &name))
    return NULL;
  Py_ssize_t count = PyTuple_Size(modules);
  const coro_module **found = module_acquire_all(PyModule_GetState(core), modules, count);
  if (!found)
    return NULL;
  coro_module *module = NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status;
  CORE_WITHOUT_GIL(status = coro_module_link(&module, found, (size_t)count, name, diags));
  module_release_all(modules, count);
  PyMem_Free(found);
  return module_or_exception(core, status, module, diags);
}

static PyObject *module_close(PyObject *object, PyObject *Py_UNUSED(nothing))
{
  if (!((struct module_object *)object)->module)
    Py_RETURN_NONE;
  if (!core_module_acquire_unless_lent(core_state_of(object), object))
    return NULL;
  coro_module_free(core_module_detach_and_unlock(object));
  Py_RETURN_NONE;
}

static void module_dealloc(PyObject *object)
{
  coro_module_free(((struct module_object *)object)->module);
  core_free_heap_type_object(object);
}

static PyObject *print_module(PyObject *self, coro_status (*print_text)(const coro_module *, char **))
{
  struct core_state *state = core_state_of(self);
  const coro_module *module = core_module_acquire(state, self);
  if (!module)
    return NULL;
  char *text = NULL;
  coro_status status;
  CORE_WITHOUT_GIL(status = print_text(module, &text));
  core_module_release(self);
  PyObject *result = status == CORO_OK ? core_make_str(text) : core_raise(state, status, NULL);
  coro_string_free(text);
  return result;
}

CORE_METHOD(module_text, Py_UNUSED(nothing), print_module(self, coro_module_print))
CORE_METHOD(module_outline, Py_UNUSED(nothing), print_module(self, coro_module_interface))

static PyObject *module_bitcode(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  char *bitcode = NULL;
  size_t size = 0;
  coro_status status;
  CORE_WITHOUT_GIL(status = coro_module_bitcode(module, &bitcode, &size));
  core_module_release(self);
  return bytes_or_exception(self, status, bitcode, size, NULL);
}

static PyObject *module_emit(PyObject *self, PyObject *args)
{
  coro_emit_options options = CORO_EMIT_OPTIONS_INIT;
  int assembly = 0;
  if (!PyArg_ParseTuple(args, "pIsssss:emit", &assembly, &options.level, &options.triple, &options.cpu,
                        &options.features, &options.relocation_model, &options.code_model))
    return NULL;
  options.assembly = assembly;
  const coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  char *code = NULL;
  size_t size = 0;
  coro_status status;
  CORE_WITHOUT_GIL(status = coro_module_emit(module, &options, &code, &size, diags));
  core_module_release(self);
  return bytes_or_exception(self, status, code, size, diags);
}

static PyObject *module_verify(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status;
  CORE_WITHOUT_GIL(status = coro_module_verify(module, diags));
  core_module_release(self);
  return core_none_or_raise(self, status, diags);
}

static const struct core_member function_members[] = {
    CORE_MEMBERS(coro_function_info, TEXT, name, type),
    CORE_MEMBER_AS("is_declaration", coro_function_info, declaration, BOOL),
    CORE_MEMBER_AS("is_intrinsic", coro_function_info, intrinsic, BOOL),
    CORE_MEMBER_AS("is_presplit", coro_function_info, presplit, BOOL),
    CORE_MEMBER_AS("is_coroutine", coro_function_info, coroutine, BOOL),
    CORE_MEMBER_AS("is_local", coro_function_info, local, BOOL),
    CORE_MEMBERS(coro_function_info, TEXT, sret),
    CORE_LAST,
};

static PyObject *function_info_dict(const void *infos, size_t index)
{
  return core_make_dict(&((const coro_function_info *)infos)[index], function_members);
}

static PyObject *module_function_info(PyObject *self, PyObject *function)
{
  struct core_state *state = core_state_of(self);
  coro_module *module = core_module_acquire(state, self);
  if (!module)
    return NULL;
  LLVMValueRef value = core_ir_unwrap(state, function, self);
  const coro_function_info *info = NULL;
  coro_status status = value ? coro_module_function(module, value, &info) : CORO_OK;
  PyObject *result = status ? core_raise(state, status, NULL) : value ? core_make_dict(info, function_members) : NULL;
  core_module_release(self); /* only now: the info is borrowed from the module */
  return result;
}

static PyObject *ir_function_of_name_or_py_none(PyObject *self, const char *name, void *Py_UNUSED(data))
{
  const coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  PyObject *result = core_ir_value(self, LLVMGetNamedFunction(coro_module_llvm(module), name));
  core_module_release(self);
  return result;
}

CORE_METHOD(module_function_named, name, core_with_name(self, name, ir_function_of_name_or_py_none, NULL))

static PyObject *module_functions(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  struct core_state *state = core_state_of(self);
  coro_module *module = core_module_acquire(state, self);
  if (!module)
    return NULL;
  const coro_function_info *infos = NULL;
  size_t count = 0;
  coro_status status;
  CORE_WITHOUT_GIL(status = coro_module_functions(module, &infos, &count));
  PyObject *result =
      status == CORO_OK ? core_make_tuple(count, function_info_dict, infos) : core_raise(state, status, NULL);
  core_module_release(self); /* only now: the infos are borrowed from the module */
  return result;
}

/* Text of the module that Python reads and sets. */
struct text_property {
  const char *(*get)(LLVMModuleRef);
  void (*set)(LLVMModuleRef, const char *);
};
static struct text_property data_layout = {LLVMGetDataLayoutStr, LLVMSetDataLayout},
                            triple = {LLVMGetTarget, LLVMSetTarget};

static PyObject *get_text(PyObject *self, void *property)
{
  coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  PyObject *text = core_make_str(((const struct text_property *)property)->get(coro_module_llvm(module)));
  core_module_release(self);
  return text;
}

static int set_text(PyObject *self, PyObject *value, void *property)
{
  if (!value)
    PyErr_SetString(PyExc_TypeError, "triple and data layout of a module cannot be deleted; set them to \"\"");
  const char *text = value ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  coro_module *module = text ? core_module_acquire(core_state_of(self), self) : NULL;
  if (!module)
    return -1;
  ((const struct text_property *)property)->set(coro_module_llvm(module), text);
  coro_module_mark_edited(module);
  core_module_sync_generation(self);
  core_module_release(self);
  return 0;
}

static PyMemberDef members[] = {
    {"generation", T_ULONGLONG, offsetof(struct module_object, generation), READONLY,
     PyDoc_STR("A counter that is incremented when the module changes.")},
    {"owner", T_OBJECT, offsetof(struct module_object, owner), 0,
     PyDoc_STR("A weak reference to the Module that owns it, or None.")},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef getset[] = {
    {"data_layout", get_text, set_text,
     PyDoc_STR("The data layout of the module. It can be set to that of another module."), &data_layout},
    {"triple", get_text, set_text, PyDoc_STR("The target triple of the module."), &triple},
    CORE_IS_CLOSED(struct module_object, module),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"clone", module_clone, METH_NOARGS, PyDoc_STR("clone($self)\n--\n\nA copy in a separate LLVM context.")},
    {"set", module_set_content, METH_VARARGS,
     PyDoc_STR("set($self, data, trusted, /)\n--\n\nReplaces the content of the module by other IR.")},
    {"close", module_close, METH_NOARGS, PyDoc_STR("close($self)\n--\n\nFrees the IR; has no effect if called again.")},
    {"text", module_text, METH_NOARGS, PyDoc_STR("text($self)\n--\n\nThe module as textual IR.")},
    {"remark", core_remark, METH_VARARGS,
     PyDoc_STR("remark($self, pass_name, name, function, message, passed, /)\n--\n\nAdds a remark to the report of the "
               "run that lent the module.")},
    {"outline", module_outline, METH_NOARGS,
     PyDoc_STR("outline($self)\n--\n\nThe interface of the module; see coro_module_interface in pycoro.h.")},
    {"emit", module_emit, METH_VARARGS,
     PyDoc_STR("emit($self, assembly, level, triple, cpu, features, relocation_model, code_model, /)\n--\n\n"
               "The module as an object file, or as assembly.")},
    {"bitcode", module_bitcode, METH_NOARGS, PyDoc_STR("bitcode($self)\n--\n\nThe module as bitcode.")},
    {"verify", module_verify, METH_NOARGS, PyDoc_STR("verify($self)\n--\n\nVerifyError if the IR is invalid.")},
    {"function", module_function_info, METH_O,
     PyDoc_STR("function($self, function, /)\n--\n\nA dict for one function; see coro_function_info in pycoro.h.")},
    {"function_named", module_function_named, METH_O,
     PyDoc_STR("function_named($self, name, /)\n--\n\nThe function with this name, or None.")},
    {"functions", module_functions, METH_NOARGS,
     PyDoc_STR("functions($self)\n--\n\nA dict per function; see coro_function_info in pycoro.h.")},
    {"run", (PyCFunction)(void (*)(void))core_run, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("run($self, passes, verify_each=False, after_pass=None, fail_allocation=0, abis=None, callers=None, "
               "snapshots=False, verify=True, check=False)\n--\n\n"
               "Runs a pass string: (report, diagnostics). On an exception the module is as it was.")},
    {"run_in_place", (PyCFunction)(void (*)(void))core_run_in_place, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("run_in_place($self, passes, verify=True)\n--\n\nRuns a pass string without a copy or a report; on an "
               "exception the module is closed.")},
    {"run_llvm", core_run_llvm, METH_O,
     PyDoc_STR("run_llvm($self, passes, /)\n--\n\nRuns only passes of LLVM, including its coroutine passes; these "
               "abort the process on some input.")},
    {"explain", (PyCFunction)(void (*)(void))core_explain, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("explain($self, function=None, reuse_storage=False, abis=None)\n--\n\nShape and frame of every "
               "coroutine or of one: (report, diagnostics). The module is unchanged.")},
    {"stage_text", (PyCFunction)(void (*)(void))core_stage_text, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("stage_text($self, function, stage=None, reuse_storage=False, abis=None)\n--\n\nThe results of all "
               "stages of the lowering of a coroutine, or of one: (text, diagnostics).")},
    {"type_read", core_type_read, METH_O,
     PyDoc_STR("type_read($self, text, /)\n--\n\nParses a type. UsageError if it is malformed.")},
    {"type_make", core_type_make, METH_VARARGS,
     PyDoc_STR("type_make($self, kind, parts, number, flag, name, /)\n--\n\nCreates a type; see coro_type_create in "
               "pycoro.h. UsageError if it is invalid.")},
    {NULL, NULL, 0, NULL},
};

static const size_t owned[] = {offsetof(struct module_object, owner), offsetof(struct module_object, metadata_names),
                               0};

static PyType_Slot slots[] = {
    CORE_COMMON_SLOTS("Module(data, name='<string>', *, trusted=False, at_risk=False)\n--\n\nParses the bytes of "
                      "textual IR or bitcode.",
                      module_dealloc),
    {Py_tp_new, CORE_SLOT(module_new)},
    {Py_tp_clear, CORE_SLOT(core_clear_members)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, getset},
    {0, NULL},
};

const struct core_type_spec core_module_spec = {"pycoro._core.Module", sizeof(struct module_object), 0, slots, owned};
