/* The type Report: results of a run or an explanation, as dicts and tuples created on demand.
   Requires: coroutine_dicts.c.
   Guarantees: independent of the module, so a report may outlive it. */
#include "state.h"

struct report_object {
  struct core_object base;
  coro_report *report; /* immutable, except for descriptions that are computed on demand */
};

static const char *const change_names[] = {"no", "yes", "maybe"};

static const struct core_member pass_members[] = {
    CORE_MEMBERS(coro_pass_info, TEXT, name, target),
    CORE_MEMBERS(coro_pass_info, DOUBLE, seconds),
    CORE_MEMBER_AS("is_pycoro", coro_pass_info, ours, BOOL),
    CORE_NAMED(coro_pass_info, changed, change_names),
    CORE_LAST,
};

static const struct core_member remark_members[] = {
    CORE_MEMBER_AS("pass_name", coro_remark, pass, TEXT), CORE_MEMBERS(coro_remark, TEXT, name, function, message),
    CORE_MEMBER_AS("passed", coro_remark, done, BOOL),    CORE_MEMBERS(coro_remark, TEXT, file),
    CORE_MEMBERS(coro_remark, U32, line, column),         CORE_LAST,
};

static const struct core_member elision_members[] = {
    CORE_MEMBERS(coro_elision, TEXT, caller, callee),
    CORE_MEMBER_AS("pass_name", coro_elision, pass, TEXT),
    CORE_MEMBER_AS("elided", coro_elision, done, BOOL),
    CORE_MEMBERS(coro_elision, U64, bytes, align),
    CORE_MEMBERS(coro_elision, TEXT, reason, block, instruction, file),
    CORE_MEMBERS(coro_elision, TEXT, creation_file),
    CORE_MEMBERS(coro_elision, U32, line, column, creation_line, creation_column),
    CORE_LAST,
};

static PyObject *make_coroutine_dict(const void *report, size_t index)
{
  return core_make_dict(coro_report_coroutine(report, index), core_coroutine_members);
}

/* Adds a snapshot's text. Snapshots are long, so an equal text shares the object `same`. */
static int add_snapshot_text(PyObject *dict, const char *key, const char *text, PyObject *same)
{
  return core_dict_set_owned(dict, key, !text ? Py_NewRef(Py_None) : same ? Py_NewRef(same) : core_make_str(text));
}

/* `before` is the dict of the previous step, or NULL. */
static PyObject *make_step_dict(const coro_report *report, size_t index, PyObject *before)
{
  const coro_pass_info *info = coro_report_pass(report, index);
  bool follows = before && coro_report_pass(report, index - 1)->after == info->before;
  PyObject *dict = core_make_dict(info, pass_members);
  if (dict &&
      add_snapshot_text(dict, "before", info->before, follows ? PyDict_GetItemString(before, "after") : NULL) < 0)
    Py_CLEAR(dict);
  PyObject *same = dict && info->after == info->before ? PyDict_GetItemString(dict, "before") : NULL;
  if (dict && add_snapshot_text(dict, "after", info->after, same) < 0)
    Py_CLEAR(dict);
  return dict;
}

static PyObject *report_coroutines(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  coro_report *report = ((struct report_object *)self)->report;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = coro_report_describe(report, diags); /* single-threaded: the GIL is held */
  PyObject *result = status ? core_raise(core_state_of(self), status, diags)
                            : core_make_tuple(coro_report_coroutine_count(report), make_coroutine_dict, report);
  coro_diags_free(diags);
  return result;
}

static PyObject *report_steps(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_report *report = ((struct report_object *)self)->report;
  size_t count = coro_report_pass_count(report);
  PyObject *tuple = PyTuple_New((Py_ssize_t)count), *before = NULL;
  for (size_t i = 0; tuple && i < count; i++) {
    before = make_step_dict(report, i, before);
    core_tuple_set(&tuple, (Py_ssize_t)i, before);
  }
  return tuple;
}

static PyObject *report_stages(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_report *report = ((struct report_object *)self)->report;
  PyObject *stages = PyDict_New();
  for (size_t i = 0; stages && i < coro_report_stage_count(report); i++) {
    const coro_stage_info *stage = coro_report_stage(report, i);
    if (core_dict_set_owned(stages, stage->name, PyFloat_FromDouble(stage->seconds)) < 0)
      Py_CLEAR(stages);
  }
  return stages;
}

/* Methods that return a tuple of dicts */
#define LISTING(name)                                                                                                  \
  static PyObject *make_##name##_dict(const void *report, size_t index)                                                \
  {                                                                                                                    \
    return core_make_dict(coro_report_##name(report, index), name##_members);                                          \
  }                                                                                                                    \
  static PyObject *report_##name##s(PyObject *self, PyObject *Py_UNUSED(nothing))                                      \
  {                                                                                                                    \
    const coro_report *report = ((struct report_object *)self)->report;                                                \
    return core_make_tuple(coro_report_##name##_count(report), make_##name##_dict, report);                            \
  }
LISTING(remark)
LISTING(elision)

/* ---- The type ---- */

PyObject *core_report_new(PyObject *core, coro_report *report)
{
  struct core_state *state = PyModule_GetState(core);
  PyObject *self = core_new(core, &state->report);
  if (self)
    ((struct report_object *)self)->report = report;
  else
    coro_report_free(report);
  return self;
}

static void report_dealloc(PyObject *self)
{
  coro_report_free(((struct report_object *)self)->report);
  core_free_heap_type_object(self);
}

static PyMethodDef methods[] = {
    {"coroutines", report_coroutines, METH_NOARGS,
     PyDoc_STR("coroutines($self)\n--\n\nA dict per coroutine; see coro_coroutine_info in pycoro.h.")},
    {"steps", report_steps, METH_NOARGS,
     PyDoc_STR("steps($self)\n--\n\nA dict per executed pass; see coro_pass_info in pycoro.h.")},
    {"stages", report_stages, METH_NOARGS,
     PyDoc_STR("stages($self)\n--\n\nSeconds per stage of the lowering, summed over all coroutines.")},
    {"remarks", report_remarks, METH_NOARGS,
     PyDoc_STR("remarks($self)\n--\n\nA dict per remark; see coro_remark in pycoro.h.")},
    {"elisions", report_elisions, METH_NOARGS,
     PyDoc_STR("elisions($self)\n--\n\nA dict per call that creates a coroutine; see coro_elision in pycoro.h.")},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    CORE_COMMON_SLOTS("The result of a run or an explanation, created by Module.run and Module.explain only.",
                      report_dealloc),
    {Py_tp_methods, methods},
    {0, NULL},
};

const struct core_type_spec core_report_spec = {"pycoro._core.Report", sizeof(struct report_object),
                                                Py_TPFLAGS_DISALLOW_INSTANTIATION, slots, NULL};
