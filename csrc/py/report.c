/* The type Report: what a run or an explanation found, as dicts and tuples made when they are asked for.
   Needs: values.c. Leaves: nothing that refers to the module, so that a report outlives it. */
#include "state.h"

struct report_object {
  struct core_object base;
  coro_report *report; /* never changes once made: any thread may read it */
};

static const char *const abi_names[] = {"switch", "retcon", "retcon-once", "async"}; /* by coro_abi_kind */
static const char *const kind_names[] = {"resume", "destroy", "promise", "index", "alloca", "spill"};

#define MEMBER(type, name, kind) {#name, CORE_##kind, offsetof(type, name), NULL}
#define NAMED(type, name, names) {#name, CORE_NAME, offsetof(type, name), names}
#define LAST {NULL, CORE_END, 0, NULL}

static const struct core_member field_members[] = {
    NAMED(coro_field_info, kind, kind_names), MEMBER(coro_field_info, name, TEXT),
    MEMBER(coro_field_info, type, TEXT),      MEMBER(coro_field_info, value, TEXT),
    MEMBER(coro_field_info, def_block, TEXT), MEMBER(coro_field_info, use_block, TEXT),
    MEMBER(coro_field_info, why, TEXT),       MEMBER(coro_field_info, offset, U64),
    MEMBER(coro_field_info, size, U64),       MEMBER(coro_field_info, align, U64),
    MEMBER(coro_field_info, suspend, INDEX),  LAST,
};

static const struct core_member suspend_members[] = {
    MEMBER(coro_suspend_info, name, TEXT),
    MEMBER(coro_suspend_info, block, TEXT),
    MEMBER(coro_suspend_info, save_block, TEXT),
    MEMBER(coro_suspend_info, suspend_block, TEXT),
    MEMBER(coro_suspend_info, resume_block, TEXT),
    MEMBER(coro_suspend_info, destroy_block, TEXT),
    MEMBER(coro_suspend_info, is_final, BOOL),
    MEMBER(coro_suspend_info, is_first_value, BOOL),
    MEMBER(coro_suspend_info, index, U32),
    MEMBER(coro_suspend_info, is_saved_apart, BOOL),
    MEMBER(coro_suspend_info, live_count, U32),
    MEMBER(coro_suspend_info, live_bytes, U64),
    LAST,
};

static const struct core_member block_members[] = {
    MEMBER(coro_block_info, name, TEXT),
    LAST,
};

static const struct core_member coroutine_members[] = {
    MEMBER(coro_coroutine_info, function, TEXT),
    NAMED(coro_coroutine_info, abi, abi_names),
    MEMBER(coro_coroutine_info, id, TEXT),
    MEMBER(coro_coroutine_info, promise, TEXT),
    MEMBER(coro_coroutine_info, promise_offset, U64),
    MEMBER(coro_coroutine_info, promise_type, TEXT),
    MEMBER(coro_coroutine_info, frame_size, U64),
    MEMBER(coro_coroutine_info, frame_align, U64),
    MEMBER(coro_coroutine_info, lower_bound, U64),
    MEMBER(coro_coroutine_info, end_count, SIZE),
    MEMBER(coro_coroutine_info, storage_size, U64),
    MEMBER(coro_coroutine_info, storage_align, U64),
    MEMBER(coro_coroutine_info, storage_argument, INDEX),
    MEMBER(coro_coroutine_info, frame_in_storage, BOOL),
    MEMBER(coro_coroutine_info, frame_offset, U64),
    MEMBER(coro_coroutine_info, function_pointer, TEXT),
    MEMBER(coro_coroutine_info, prototype, TEXT),
    MEMBER(coro_coroutine_info, allocator, TEXT),
    MEMBER(coro_coroutine_info, deallocator, TEXT),
    MEMBER(coro_coroutine_info, ramp_type, TEXT),
    MEMBER(coro_coroutine_info, resume_type, TEXT),
    LAST,
};

static const struct core_member pass_members[] = {
    MEMBER(coro_pass_info, name, TEXT),
    MEMBER(coro_pass_info, target, TEXT),
    MEMBER(coro_pass_info, seconds, DOUBLE),
    MEMBER(coro_pass_info, ours, BOOL),
    LAST,
};

static const struct core_member remark_members[] = {
    {"pass_name", CORE_TEXT, offsetof(coro_remark, pass), NULL},
    MEMBER(coro_remark, name, TEXT),
    MEMBER(coro_remark, function, TEXT),
    MEMBER(coro_remark, message, TEXT),
    MEMBER(coro_remark, done, BOOL),
    LAST,
};

/* ---- Tuples: `make` gives the item at an index of whatever `of` is ---- */

typedef PyObject *make_item(const void *of, size_t index);

static PyObject *tuple_of(size_t count, make_item *make, const void *of)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++) {
    PyObject *item = make(of, i);
    if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) < 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *range(const void *ranges, size_t index)
{
  const coro_suspend_range *info = &((const coro_suspend_range *)ranges)[index];
  return Py_BuildValue("(kk)", (unsigned long)info->first, (unsigned long)info->end);
}

static PyObject *number(const void *numbers, size_t index)
{
  return PyLong_FromUnsignedLong(((const uint32_t *)numbers)[index]);
}

static PyObject *string(const void *strings, size_t index)
{
  return core_text(((const char *const *)strings)[index]);
}

static PyObject *field(const void *fields, size_t index)
{
  const coro_field_info *info = &((const coro_field_info *)fields)[index];
  PyObject *dict = core_dict(info, field_members);
  if (dict && core_dict_take(dict, "live", tuple_of(info->live_count, range, info->live)) < 0)
    Py_CLEAR(dict);
  return dict;
}

PyObject *core_fields(const coro_field_info *fields, size_t count)
{
  return tuple_of(count, field, fields);
}

static PyObject *suspend(const void *coroutine, size_t index)
{
  return core_dict(&((const coro_coroutine_info *)coroutine)->suspends[index], suspend_members);
}

static PyObject *block(const void *coroutine, size_t index)
{
  const coro_block_info *info = &((const coro_coroutine_info *)coroutine)->blocks[index];
  PyObject *dict = core_dict(info, block_members);
  if (dict && core_dict_take(dict, "successors", tuple_of(info->successor_count, number, info->successors)) < 0)
    Py_CLEAR(dict);
  return dict;
}

static PyObject *coroutine(const void *report, size_t index)
{
  const coro_coroutine_info *info = coro_report_coroutine(report, index);
  PyObject *dict = core_dict(info, coroutine_members);
  if (dict && (core_dict_take(dict, "fields", core_fields(info->fields, info->field_count)) < 0 ||
               core_dict_take(dict, "suspends", tuple_of(info->suspend_count, suspend, info)) < 0 ||
               core_dict_take(dict, "blocks", tuple_of(info->block_count, block, info)) < 0 ||
               core_dict_take(dict, "clones", tuple_of(info->clone_count, string, info->clones)) < 0))
    Py_CLEAR(dict);
  return dict;
}

static PyObject *pass(const void *report, size_t index)
{
  return core_dict(coro_report_pass(report, index), pass_members);
}

static PyObject *remark(const void *report, size_t index)
{
  return core_dict(coro_report_remark(report, index), remark_members);
}

static PyObject *report_coroutines(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_report *report = ((struct report_object *)self)->report;
  return tuple_of(coro_report_coroutine_count(report), coroutine, report);
}

static PyObject *report_passes(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_report *report = ((struct report_object *)self)->report;
  return tuple_of(coro_report_pass_count(report), pass, report);
}

static PyObject *report_stages(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_report *report = ((struct report_object *)self)->report;
  PyObject *stages = PyDict_New();
  for (size_t i = 0; stages && i < coro_report_stage_count(report); i++) {
    const coro_stage_info *stage = coro_report_stage(report, i);
    PyObject *seconds = PyFloat_FromDouble(stage->seconds);
    if (!seconds || PyDict_SetItemString(stages, stage->name, seconds) < 0)
      Py_CLEAR(stages);
    Py_XDECREF(seconds);
  }
  return stages;
}

static PyObject *report_remarks(PyObject *self, PyObject *Py_UNUSED(nothing))
{
  const coro_report *report = ((struct report_object *)self)->report;
  return tuple_of(coro_report_remark_count(report), remark, report);
}

/* ---- The type ---- */

PyObject *core_report_new(PyObject *core, coro_report *report)
{
  struct core_state *state = PyModule_GetState(core);
  PyObject *self = core_new(state->report_type, core, &state->live_report);
  if (self)
    ((struct report_object *)self)->report = report;
  else
    coro_report_free(report);
  return self;
}

static void dealloc(PyObject *self)
{
  coro_report_free(((struct report_object *)self)->report);
  core_delete(self, &core_state_of(self)->live_report);
}

static PyMethodDef methods[] = {
    {"coroutines", report_coroutines, METH_NOARGS,
     PyDoc_STR("coroutines($self)\n--\n\nA dict for each coroutine, as struct coro_coroutine_info of pycoro.h.")},
    {"passes", report_passes, METH_NOARGS,
     PyDoc_STR("passes($self)\n--\n\nA dict for each pass that ran, as struct coro_pass_info of pycoro.h.")},
    {"stages", report_stages, METH_NOARGS,
     PyDoc_STR("stages($self)\n--\n\nSeconds by stage of the lowering, of all coroutines together.")},
    {"remarks", report_remarks, METH_NOARGS,
     PyDoc_STR("remarks($self)\n--\n\nA dict for each remark, as struct coro_remark of pycoro.h.")},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, PyDoc_STR("What a run or an explanation found. Made by Module.run and Module.explain only.")},
    {Py_tp_dealloc, CORE_SLOT(dealloc)},
    {Py_tp_traverse, CORE_SLOT(core_traverse)},
    {Py_tp_methods, methods},
    {0, NULL},
};

int core_add_report(PyObject *core, struct core_state *state)
{
  return core_add_type(core, &state->report_type, "pycoro._core.Report", sizeof(struct report_object),
                       Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
}
