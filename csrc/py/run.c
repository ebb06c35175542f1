/* Module.run and Module.explain: the engine works without the GIL, and comes back for it at callbacks.
   Needs: state.h. Leaves: an exception of a callback set as it was raised, and the module then unchanged. */
#include "state.h"

#include <time.h>

#include "abi.h"

struct run_call {
  PyThreadState *thread; /* of the caller, detached while the engine works */
  PyObject *after_pass;
  struct timespec asked; /* when signals were last looked for */
};

static int after_pass(void *user, const char *pass, const char *target, const char *ir)
{
  struct run_call *call = user;
  PyEval_RestoreThread(call->thread);
  PyObject *name = core_text(target), *text = name ? core_text(ir) : NULL;
  PyObject *result = text ? PyObject_CallFunction(call->after_pass, "sOO", pass, name, text) : NULL;
  Py_XDECREF(name);
  Py_XDECREF(text);
  Py_XDECREF(result);
  call->thread = PyEval_SaveThread();
  return result ? 0 : 1;
}

/* Asks Python for signals a hundred times a second at the most: taking the GIL is dear while others want it. */
static int interrupted(void *user)
{
  struct run_call *call = user;
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  if (now.tv_sec == call->asked.tv_sec && now.tv_nsec / 10000000 == call->asked.tv_nsec / 10000000)
    return 0;
  call->asked = now;
  PyEval_RestoreThread(call->thread);
  int failed = PyErr_CheckSignals() < 0;
  call->thread = PyEval_SaveThread();
  return failed;
}

/* (report, diagnostics), or NULL with an exception. Takes over the report and the diagnostics. */
static PyObject *outcome(PyObject *self, coro_status status, coro_report *report, coro_diags *diags)
{
  PyObject *result = NULL;
  if (status == CORO_OK) {
    PyObject *object = core_report_new(((struct core_object *)self)->core, report);
    PyObject *tuple = core_diagnostics(diags);
    if (object && tuple)
      result = PyTuple_Pack(2, object, tuple);
    Py_XDECREF(object);
    Py_XDECREF(tuple);
  } else {
    coro_report_free(report);
    core_raise(core_state_of(self), status, diags);
  }
  coro_diags_free(diags);
  return result;
}

/* A build that can be told to be wrong takes one argument more. */
#ifdef PYCORO_FAULTS
#define FAULT_KEYWORD "fault",
#define FAULT_FORMAT "I"
#else
#define FAULT_KEYWORD
#define FAULT_FORMAT
#endif

PyObject *core_run(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"passes", "verify_each", "after_pass", "fail_allocation", "abis", FAULT_KEYWORD NULL};
  const char *passes;
  int verify_each = 0;
  unsigned long long fail_allocation = 0;
  unsigned fault = 0;
  PyObject *given = Py_None;
  struct run_call call = {NULL, Py_None, {0, 0}};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|pOKO" FAULT_FORMAT ":run", keywords, &passes, &verify_each,
                                   &call.after_pass, &fail_allocation, &given, &fault))
    return NULL;
  struct core_abis abis;
  coro_module *module =
      core_abis_take(&abis, given, &call.thread) < 0 ? NULL : core_module_acquire(core_state_of(self), self);
  if (!module) {
    core_abis_drop(&abis);
    return NULL;
  }
  coro_options options = CORO_OPTIONS_INIT;
  options.verify_each = verify_each;
  options.after_pass = call.after_pass == Py_None ? NULL : after_pass;
  options.interrupted = interrupted;
  options.user = &call;
  options.fail_allocation = fail_allocation;
  options.fault = fault;
  options.abis = abis.abis;
  options.abi_count = abis.count;
  coro_report *report = NULL;
  coro_diags *diags = NULL;
  coro_status status = coro_diags_create(&diags);
  if (status == CORO_OK) {
    call.thread = PyEval_SaveThread();
    status = coro_run(module, passes, &options, &report, diags);
    PyEval_RestoreThread(call.thread);
  }
  core_abis_drop(&abis);
  core_module_changed(self);
  core_module_release(self);
  return outcome(self, status, report, diags);
}

/* None, or NULL with the exception; the module is closed then. */
PyObject *core_run_in_place(PyObject *self, PyObject *argument)
{
  const char *passes;
  if (!PyArg_Parse(argument, "s:run_in_place", &passes))
    return NULL;
  struct run_call call = {NULL, Py_None, {0, 0}};
  coro_module *module = core_module_acquire(core_state_of(self), self);
  if (!module)
    return NULL;
  coro_options options = CORO_OPTIONS_INIT;
  options.in_place = true;
  options.interrupted = interrupted;
  options.user = &call;
  coro_diags *diags = NULL;
  coro_status status = coro_diags_create(&diags);
  call.thread = PyEval_SaveThread();
  if (status == CORO_OK)
    status = coro_run(module, passes, &options, NULL, diags);
  PyEval_RestoreThread(call.thread);
  core_module_changed(self);
  if (status)
    coro_module_free(core_module_detach(self));
  else
    core_module_release(self);
  return core_finished(self, status, diags);
}

PyObject *core_run_llvm(PyObject *self, PyObject *argument)
{
  const char *passes;
  coro_module *module =
      PyArg_Parse(argument, "s:run_llvm", &passes) ? core_module_acquire(core_state_of(self), self) : NULL;
  if (!module)
    return NULL;
  coro_diags *diags = NULL;
  coro_status status = coro_diags_create(&diags);
  if (status == CORO_OK) {
    Py_BEGIN_ALLOW_THREADS
    status = coro_run_llvm(module, passes, diags);
    Py_END_ALLOW_THREADS
  }
  core_module_changed(self);
  core_module_release(self);
  return core_finished(self, status, diags);
}

PyObject *core_explain(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"function", "reuse_storage", "abis", NULL};
  PyObject *function = Py_None, *name = NULL;
  int reuse_storage = 0;
  PyObject *given = Py_None;
  struct run_call call = {NULL, Py_None, {0, 0}};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OpO:explain", keywords, &function, &reuse_storage, &given) ||
      (function != Py_None && !core_name_bytes(function, &name)))
    return NULL;
  struct core_abis abis;
  const coro_module *module =
      core_abis_take(&abis, given, &call.thread) < 0 ? NULL : core_module_acquire(core_state_of(self), self);
  if (!module) {
    Py_XDECREF(name);
    core_abis_drop(&abis);
    return NULL;
  }
  coro_explain_options options = CORO_EXPLAIN_OPTIONS_INIT;
  options.reuse_storage = reuse_storage;
  options.abis = abis.abis;
  options.abi_count = abis.count;
  options.interrupted = interrupted;
  options.user = &call;
  coro_report *report = NULL;
  coro_diags *diags = NULL;
  coro_status status = coro_diags_create(&diags);
  if (status == CORO_OK) {
    call.thread = PyEval_SaveThread();
    status = coro_explain(module, name ? PyBytes_AsString(name) : NULL, &options, &report, diags);
    PyEval_RestoreThread(call.thread);
  }
  Py_XDECREF(name);
  core_abis_drop(&abis);
  core_module_release(self);
  return outcome(self, status, report, diags);
}
