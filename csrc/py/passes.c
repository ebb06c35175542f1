/* Passes written in Python, which the engine calls while it runs without the GIL, and their remarks.
   Requires: ir.h.
   Guarantees: an exception of a pass stays set unchanged; no lent Module stays open; each remark is in the report of
   the run that lent the module. */
#include "passes.h"
#include "state.h"

#include "ir.h"

struct pass_hook {
  struct core_passes *all;
  PyObject *function; /* borrowed from the run's argument */
};

/* Called with the GIL held. */
static coro_status call_python_pass_function(const struct pass_hook *hook, coro_pass_call *call)
{
  PyObject *module = hook->all->module, *target = NULL, *name = NULL, *result = NULL;
  if (!module)
    module = hook->all->module = core_module_to_lend(hook->all->core);
  if (!module)
    return CORO_ECALLBACK;
  core_module_lend(module, call->module);
  target = core_ir_value(module, call->function);
  name = target ? core_make_str(call->name) : NULL;
  if (name)
    result = PyObject_CallFunction(hook->function, "OOO", module, target, name);
  core_module_end_lending(module);
  bool fine = result == Py_None;
  if (result && !fine)
    PyErr_SetString(PyExc_TypeError, "the function that implements a pass must return None");
  Py_XDECREF(result);
  Py_XDECREF(name);
  Py_XDECREF(target);
  return fine ? CORO_OK : CORO_ECALLBACK;
}

static coro_status run_python_pass(void *user, coro_pass_call *call, coro_diags *Py_UNUSED(diags))
{
  const struct pass_hook *hook = user;
  core_attach(hook->all->thread);
  coro_status status = call_python_pass_function(hook, call);
  core_detach(hook->all->thread);
  return status;
}

static int append_pass_from_tuple(void *into, PyObject *given)
{
  struct core_passes *passes = into;
  struct pass_hook *hook = &passes->hooks[passes->count];
  const char *name;
  int level;
  if (!PyTuple_Check(given) || !PyArg_ParseTuple(given, "siO:callers", &name, &level, &hook->function)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_TypeError, "a pass must be a tuple of (name, level, function)");
    return -1;
  }
  hook->all = passes;
  passes->passes[passes->count] =
      (coro_custom_pass){.name = name, .level = (coro_pass_level)level, .run = run_python_pass, .user = hook};
  passes->count++;
  return 0;
}

int core_passes_from_tuple(struct core_passes *passes, PyObject *core, PyObject *given, PyThreadState **thread)
{
  *passes = (struct core_passes){.core = core,
                                 .thread = thread,
                                 .passes = core_array_for_tuple(given, sizeof *passes->passes),
                                 .hooks = core_array_for_tuple(given, sizeof *passes->hooks)};
  return core_read_tuple(given, "callers must be a tuple of (name, level, function)", passes->passes && passes->hooks,
                         append_pass_from_tuple, passes);
}

void core_passes_free_content(struct core_passes *passes)
{
  PyMem_Free(passes->passes);
  PyMem_Free(passes->hooks);
  Py_XDECREF(passes->module);
}

/* ---- Remarks ---- */

enum { PASS, NAME, FUNCTION, MESSAGE, TEXTS };

static PyObject *add_remark_to_report(PyObject *self, PyObject *const *bytes, bool done)
{
  coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  coro_remark remark = {.pass = PyBytes_AsString(bytes[PASS]),
                        .name = PyBytes_AsString(bytes[NAME]),
                        .function = PyBytes_AsString(bytes[FUNCTION]),
                        .message = PyBytes_AsString(bytes[MESSAGE]),
                        .done = done};
  coro_status status = coro_pass_remark(module, &remark);
  core_module_release(self);
  return core_none_or_raise(self, status, NULL);
}

PyObject *core_remark(PyObject *self, PyObject *args)
{
  PyObject *texts[TEXTS], *bytes[TEXTS] = {NULL}, *result = NULL;
  int done, i = 0;
  if (!PyArg_ParseTuple(args, "UUUUp:remark", &texts[PASS], &texts[NAME], &texts[FUNCTION], &texts[MESSAGE], &done))
    return NULL;
  while (i < TEXTS && (bytes[i] = PyUnicode_AsEncodedString(texts[i], "utf-8", "surrogateescape")))
    i++;
  if (i == TEXTS)
    result = add_remark_to_report(self, bytes, done);
  while (i-- > 0)
    Py_DECREF(bytes[i]);
  return result;
}
