/* The extension module pycoro._core: Python objects for the engine's public C API, pycoro.h.
   Requires: the types of types.def.
   Guarantees: all state is in the module object. */
#include <signal.h>
#include <sys/prctl.h>

#include "channel.h"
#include "passes.h"

/* STATUSES: (name, exit status of the command line, text) of each status, for pycoro.errors and the command line. */
static PyObject *make_tuple_of_statuses(void)
{
  static const struct {
    const char *name, *text;
    int exit;
  } table[] = {
#define CORO_STATUS(name, value, exit, text) {#name, text, exit},
#include "status.def"
  };
  Py_ssize_t count = sizeof table / sizeof *table;
  PyObject *tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple && i < count; i++)
    core_tuple_set(&tuple, i, Py_BuildValue("(sis)", table[i].name, table[i].exit, table[i].text));
  return tuple;
}

static PyObject *count_live_objects_by_type(PyObject *core, PyObject *Py_UNUSED(nothing))
{
  const struct core_state *state = PyModule_GetState(core);
  PyObject *dict = PyDict_New();
  if (!dict)
    return NULL;
#define CORE_TYPE(name, plural)                                                                                        \
  if (core_dict_set_owned(dict, plural, PyLong_FromSsize_t(state->name.live)) < 0) {                                   \
    Py_DECREF(dict);                                                                                                   \
    return NULL;                                                                                                       \
  }
#include "types.def"
  return dict;
}

static PyObject *pipeline_check(PyObject *core, PyObject *args)
{
  const char *passes;
  char *canonical = NULL;
  PyObject *callers = Py_None, *result = NULL;
  int expand = false;
  struct core_passes taken;
  coro_options options = CORO_OPTIONS_INIT;
  if (!PyArg_ParseTuple(args, "s|Op:pipeline_check", &passes, &callers, &expand))
    return NULL;
  options.expand_levels = expand;
  coro_diags *diags = core_create_diags_or_null();
  if (core_passes_from_tuple(&taken, core, callers, NULL) == 0) {
    options.passes = taken.passes;
    options.pass_count = taken.count;
    coro_status status = coro_pipeline_check(passes, &options, &canonical, diags);
    result = status == CORO_OK ? core_make_str(canonical) : core_raise(PyModule_GetState(core), status, diags);
  }
  core_passes_free_content(&taken);
  coro_string_free(canonical);
  coro_diags_free(diags);
  return result;
}

static PyObject *passes_confined(PyObject *core, PyObject *argument)
{
  const char *passes;
  if (!PyArg_Parse(argument, "s:passes_confined", &passes))
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = coro_pipeline_check_confined(passes, diags);
  PyObject *result = status == CORO_OK ? Py_NewRef(Py_None) : core_raise(PyModule_GetState(core), status, diags);
  coro_diags_free(diags);
  return result;
}

static PyObject *end_process_with_parent(PyObject *Py_UNUSED(core), PyObject *Py_UNUSED(nothing))
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Py_RETURN_NONE;
}

/* STAGES: (name, result) of each lowering stage, in order. */
static int add_stage_table(PyObject *core)
{
  const char *leaves;
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && coro_stage_name(i, &leaves); i++)
    core_list_append(&list, Py_BuildValue("(ss)", coro_stage_name(i, NULL), leaves));
  PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  int failed = !tuple || PyModule_AddObjectRef(core, "STAGES", tuple) < 0;
  Py_XDECREF(tuple);
  return failed;
}

static PyObject *use_reader_process(PyObject *core, PyObject *args)
{
  enum { MOST_WORDS = 16 };
  const char *command[MOST_WORDS + 1] = {NULL};
  Py_ssize_t count = PyTuple_Size(args);
  const struct core_state *state = PyModule_GetState(core);
  for (Py_ssize_t i = 0; i < count && i < MOST_WORDS; i++) {
    command[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(args, i), NULL);
    if (!command[i])
      return NULL;
  }
  (void)coro_reader_use_process(state->reader, command); /* else texts are read in forked children */
  Py_RETURN_NONE;
}

static PyObject *serve_reader(PyObject *Py_UNUSED(core), PyObject *Py_UNUSED(nothing))
{
  coro_reader_serve(0);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"live", count_live_objects_by_type, METH_NOARGS,
     PyDoc_STR(
         "live()\n--\n\nThe number of live objects of each type in this interpreter, by plural; for leak tests.")},
    {"pipeline_check", pipeline_check, METH_VARARGS,
     PyDoc_STR("pipeline_check(passes, callers=None, expand=False, /)\n--\n\nThe canonical spelling of a pass string, "
               "without running it. `expand` replaces levels by their\npasses. PipelineError if it is malformed.")},
    {"link", core_module_link, METH_VARARGS,
     PyDoc_STR("link(modules, name, /)\n--\n\nLinks a tuple of modules into a new Module; they are unchanged. "
               "LinkError if they are incompatible.")},
    {"passes_confined", passes_confined, METH_O,
     PyDoc_STR("passes_confined(passes, /)\n--\n\nPipelineError if the passes have other effects than changing a "
               "module: access files, start programs, print.")},
    {"end_with_parent", end_process_with_parent, METH_NOARGS,
     PyDoc_STR("end_with_parent()\n--\n\nHas the operating system kill this process when its parent process ends.")},
    {"use_reader_process", use_reader_process, METH_VARARGS,
     PyDoc_STR("use_reader_process(*command)\n--\n\nThe command that starts a process which reads untrusted "
               "texts: it calls serve_reader().")},
    {"serve_reader", serve_reader, METH_NOARGS,
     PyDoc_STR(
         "serve_reader()\n--\n\nReads texts for the process at the other end of standard input, and ends with it.")},
    {NULL, NULL, 0, NULL},
};

static int module_execute(PyObject *core)
{
  struct core_state *state = PyModule_GetState(core);
  (void)coro_reader_create(&state->reader); /* else every text is read twice */
  PyObject *table = make_tuple_of_statuses();
  int failed = !table || PyModule_AddObjectRef(core, "STATUSES", table) < 0;
  Py_XDECREF(table);
  if (failed || add_stage_table(core) || PyModule_AddStringConstant(core, "VERSION", coro_version()) < 0 ||
      PyModule_AddStringConstant(core, "LLVM_VERSION", coro_llvm_version()) < 0)
    return -1;
#define CORE_TYPE(name, plural)                                                                                        \
  if (core_add_type(core, &state->name, &core_##name##_spec) < 0)                                                      \
    return -1;
#include "types.def"
  if (core_add_compiled_callable(core) < 0 || core_add_native_symbols(core) < 0 ||
      awaitable_cache_python_types(state) < 0)
    return -1;
  return PyModule_AddFunctions(core, core_ir_methods) < 0 ? -1 : PyModule_AddFunctions(core, core_ir_build_methods);
}

static int visit_reference(PyObject **reference, visitproc visit, void *arg)
{
  Py_VISIT(*reference);
  return 0;
}

static int clear_reference(PyObject **reference, visitproc Py_UNUSED(visit), void *Py_UNUSED(arg))
{
  Py_CLEAR(*reference);
  return 0;
}

/* Applies a function to all references of the state, until one returns another value than 0. */
static int apply_to_module_references(PyObject *core, int (*apply)(PyObject **reference, visitproc visit, void *arg),
                                      visitproc visit, void *arg)
{
  struct core_state *state = PyModule_GetState(core);
  if (!state)
    return 0;
  PyObject **const references[] = {
      &state->errors,
      &state->ir_classes,
      &state->coroutine_class,
      &state->generator_class,
#define CORE_TYPE(name, plural) (PyObject **)(void *)&state->name.type,
#include "types.def"
  };
  int result = 0;
  for (size_t i = 0; i < sizeof references / sizeof *references && !result; i++)
    result = apply(references[i], visit, arg);
  return result;
}

static int module_traverse(PyObject *core, visitproc visit, void *arg)
{
  return apply_to_module_references(core, visit_reference, visit, arg);
}

static int module_clear(PyObject *core)
{
  return apply_to_module_references(core, clear_reference, NULL, NULL);
}

static void module_free(void *core)
{
  struct core_state *state = PyModule_GetState(core);
  module_clear(core);
  if (state)
    coro_reader_free(state->reader);
}

/* No state is shared between interpreters. Methods rely on the GIL only for Python objects and the live counters.
   The slots that declare this are newer than the limited API of 3.11. */
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, CORE_SLOT(module_execute)},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_USED},
#endif
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pycoro._core",
    .m_doc = PyDoc_STR("The engine of pycoro; use the package pycoro instead."),
    .m_size = sizeof(struct core_state),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
  return PyModuleDef_Init(&definition);
}
