/* Module.run and Module.explain. The engine runs without the GIL and acquires it for callbacks.
   Requires: state.h.
   Guarantees: an exception of a callback stays set unchanged, and the module is then unchanged, or closed by
   run_in_place. */
#include "state.h"

#include <time.h>

#include "abi.h"
#include "passes.h"

struct run_call {
  PyThreadState *thread; /* thread state of the caller while the engine runs without the GIL; else NULL */
  PyObject *after_pass;
  struct timespec signals_checked; /* when signals were last checked */
  const char *passes;
  const char *function;   /* the function to explain; NULL: all */
  const char *stage;      /* the stage to print; NULL: all */
  coro_options options;
  coro_explain_options explain_options;
  coro_report *report;
  char *text; /* result instead of a report */
};

/* An operation of the engine on a module, which runs without the GIL. */
typedef coro_status run_work(coro_module *module, struct run_call *call, coro_diags *diags);

static int call_after_pass_hook(void *user, const char *pass, const char *target, const char *ir)
{
  struct run_call *call = user;
  core_attach(&call->thread);
  PyObject *name = core_make_str(target), *text = name ? core_make_str(ir) : NULL;
  PyObject *result = text ? PyObject_CallFunction(call->after_pass, "sOO", pass, name, text) : NULL;
  Py_XDECREF(name);
  Py_XDECREF(text);
  Py_XDECREF(result);
  core_detach(&call->thread);
  return result ? 0 : 1;
}

/* Checks for signals at most 100 times per second, because acquiring the GIL is expensive under contention. If a
   hook holds the GIL already, the check waits for the next call. */
static int check_interrupt(void *user)
{
  struct run_call *call = user;
  struct timespec now;
  if (!call->thread)
    return 0;
  timespec_get(&now, TIME_UTC);
  if (now.tv_sec == call->signals_checked.tv_sec && now.tv_nsec / 10000000 == call->signals_checked.tv_nsec / 10000000)
    return 0;
  call->signals_checked = now;
  core_attach(&call->thread);
  int failed = PyErr_CheckSignals() < 0;
  core_detach(&call->thread);
  return failed;
}

static coro_status run_passes(coro_module *module, struct run_call *call, coro_diags *diags)
{
  call->options.interrupted = check_interrupt;
  call->options.user = call;
  call->options.passes_keep_no_references = true; /* no Python object uses the lent module after it is closed */
  return coro_run(module, call->passes, &call->options, call->options.in_place ? NULL : &call->report, diags);
}

static coro_status run_llvm(coro_module *module, struct run_call *call, coro_diags *diags)
{
  return coro_run_llvm(module, call->passes, diags);
}

static coro_status explain_frames(coro_module *module, struct run_call *call, coro_diags *diags)
{
  call->explain_options.interrupted = check_interrupt;
  call->explain_options.user = call;
  return coro_explain(module, call->function, &call->explain_options, &call->report, diags);
}

static coro_status print_stage(coro_module *module, struct run_call *call, coro_diags *diags)
{
  call->explain_options.interrupted = check_interrupt;
  call->explain_options.user = call;
  return coro_stage_text(module, call->function, call->stage, &call->explain_options, &call->text, diags);
}

/* Runs the operation on the locked module of `self`. */
static coro_status run_on_locked_module(PyObject *self, coro_module *module, struct run_call *call, run_work *work,
                                        coro_diags *diags)
{
  core_detach(&call->thread);
  coro_status status = work(module, call, diags);
  core_attach(&call->thread);
  core_module_sync_generation(self);
  return status;
}

/* (report or text, diagnostics), or NULL with an exception set. Takes ownership of the call's results and of the
   diagnostics. */
static PyObject *make_run_result(PyObject *self, coro_status status, struct run_call *call, coro_diags *diags)
{
  PyObject *result = NULL;
  if (status == CORO_OK) {
    PyObject *object =
        call->text ? core_make_str(call->text) : core_report_new(((struct core_object *)self)->core, call->report);
    PyObject *tuple = core_tuple_of_diagnostics(diags);
    if (object && tuple)
      result = PyTuple_Pack(2, object, tuple);
    Py_XDECREF(object);
    Py_XDECREF(tuple);
  } else {
    coro_report_free(call->report);
    core_raise(core_state_of(self), status, diags);
  }
  coro_string_free(call->text);
  coro_diags_free(diags);
  return result;
}

/* Runs the operation with custom ABIs and passes, and returns its outcome. */
static PyObject *run_and_report(PyObject *self, PyObject *given, PyObject *callers, struct run_call *call,
                                run_work *work)
{
  struct core_abis abis;
  struct core_passes passes;
  PyObject *result = NULL;
  bool taken = core_passes_from_tuple(&passes, ((struct core_object *)self)->core, callers, &call->thread) >= 0;
  taken = core_abis_from_tuple(&abis, taken ? given : Py_None, &call->thread) >= 0 && taken;
  coro_module *module = taken ? core_module_acquire(core_state_of(self), self) : NULL;
  if (module) {
    call->options.passes = passes.passes;
    call->options.pass_count = passes.count;
    call->options.abis = call->explain_options.abis = abis.abis;
    call->options.abi_count = call->explain_options.abi_count = abis.count;
    coro_diags *diags = core_create_diags_or_null();
    coro_status status = run_on_locked_module(self, module, call, work, diags);
    core_module_release(self);
    result = make_run_result(self, status, call, diags);
  }
  core_abis_free_content(&abis);
  core_passes_free_content(&passes);
  return result;
}

PyObject *core_run(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"passes",  "verify_each", "after_pass", "fail_allocation", "abis",
                             "callers", "snapshots",   "verify",     "check",           NULL};
  int verify_each = 0, snapshots = 0, verify = 1, check = 0;
  unsigned long long fail_allocation = 0;
  PyObject *abis = Py_None, *callers = Py_None;
  struct run_call call = {.after_pass = Py_None, .options = CORO_OPTIONS_INIT};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|pOKOOppp:run", keywords, &call.passes, &verify_each,
                                   &call.after_pass, &fail_allocation, &abis, &callers, &snapshots, &verify, &check))
    return NULL;
  call.options.verify_each = verify_each;
  call.options.snapshots = snapshots;
  call.options.unverified = !verify;
  call.options.check = check;
  call.options.describe_later = true;
  call.options.after_pass = call.after_pass == Py_None ? NULL : call_after_pass_hook;
  call.options.fail_allocation = fail_allocation;
  return run_and_report(self, abis, callers, &call, run_passes);
}

/* Returns warnings; on failure NULL with an exception set, and the module is closed. */
PyObject *core_run_in_place(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"passes", "verify", NULL};
  struct run_call call = {.options = CORO_OPTIONS_INIT};
  int verify = 1;
  bool taken = PyArg_ParseTupleAndKeywords(args, kwargs, "s|p:run_in_place", keywords, &call.passes, &verify);
  call.options.in_place = true;
  call.options.unverified = !verify;
  coro_module *module = taken ? core_module_acquire_unless_lent(core_state_of(self), self) : NULL;
  if (!module)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = run_on_locked_module(self, module, &call, run_passes, diags);
  if (status)
    coro_module_free(core_module_detach_and_unlock(self));
  else
    core_module_release(self);
  PyObject *warnings = status ? core_raise(core_state_of(self), status, diags) : core_tuple_of_diagnostics(diags);
  coro_diags_free(diags);
  return warnings;
}

PyObject *core_run_llvm(PyObject *self, PyObject *passes)
{
  struct run_call call = {0};
  coro_module *module =
      PyArg_Parse(passes, "s:run_llvm", &call.passes) ? core_module_acquire(core_state_of(self), self) : NULL;
  if (!module)
    return NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = run_on_locked_module(self, module, &call, run_llvm, diags);
  core_module_release(self);
  return core_none_or_raise(self, status, diags);
}

struct run_request {
  struct run_call call;
  PyObject *abis;
  run_work *work;
};

static PyObject *run_for_function(PyObject *self, const char *function, void *data)
{
  struct run_request *request = data;
  request->call.function = function;
  return run_and_report(self, request->abis, Py_None, &request->call, request->work);
}

PyObject *core_explain(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"function", "reuse_storage", "abis", NULL};
  PyObject *function = Py_None;
  int reuse_storage = 0;
  struct run_request request = {{.explain_options = CORO_EXPLAIN_OPTIONS_INIT}, Py_None, explain_frames};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OpO:explain", keywords, &function, &reuse_storage, &request.abis))
    return NULL;
  request.call.explain_options.reuse_storage = reuse_storage;
  return function == Py_None ? run_for_function(self, NULL, &request)
                             : core_with_name(self, function, run_for_function, &request);
}

PyObject *core_stage_text(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static char *keywords[] = {"function", "stage", "reuse_storage", "abis", NULL};
  PyObject *function;
  int reuse_storage = 0;
  struct run_request request = {{.explain_options = CORO_EXPLAIN_OPTIONS_INIT}, Py_None, print_stage};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|zpO:stage_text", keywords, &function, &request.call.stage,
                                   &reuse_storage, &request.abis))
    return NULL;
  request.call.explain_options.reuse_storage = reuse_storage;
  return core_with_name(self, function, run_for_function, &request);
}
