/* ABIs written in Python: hooks that the engine calls while it works without the GIL.
   Needs: state.h. Leaves: an exception of a hook set as it was raised. */
#include "abi.h"

struct hooks {
  struct core_abis *all;
  PyObject *rematerialise, *order; /* borrowed from the argument of the run; NULL where it has none */
};

static const struct core_member value_members[] = {
    {"name", CORE_TEXT, offsetof(coro_value_info, name), NULL},
    {"type", CORE_TEXT, offsetof(coro_value_info, type), NULL},
    {"value", CORE_TEXT, offsetof(coro_value_info, value), NULL},
    {"def_block", CORE_TEXT, offsetof(coro_value_info, def_block), NULL},
    {"use_block", CORE_TEXT, offsetof(coro_value_info, use_block), NULL},
    {NULL, CORE_END, 0, NULL},
};

/* With the GIL. -1 with an exception set. */
static int call_rematerialise(PyObject *hook, const coro_value_info *value, bool *again)
{
  PyObject *dict = core_dict(value, value_members);
  PyObject *result = dict ? PyObject_CallFunction(hook, "OO", dict, *again ? Py_True : Py_False) : NULL;
  int truth = result ? PyObject_IsTrue(result) : -1;
  Py_XDECREF(dict);
  Py_XDECREF(result);
  *again = truth > 0;
  return truth < 0 ? -1 : 0;
}

/* The indices that the hook gave; what is none of the fields' becomes one past the last, which the engine refuses. */
static int take_order(PyObject *given, size_t count, uint32_t *order)
{
  Py_ssize_t size = given ? PySequence_Size(given) : -1;
  for (size_t i = 0; size >= 0 && i < count; i++) {
    PyObject *item = (Py_ssize_t)i < size ? PySequence_GetItem(given, (Py_ssize_t)i) : NULL;
    unsigned long index = item ? PyLong_AsUnsignedLong(item) : count;
    Py_XDECREF(item);
    if (PyErr_Occurred())
      return -1;
    order[i] = index < count && (size_t)size == count ? (uint32_t)index : (uint32_t)count;
  }
  return size < 0 ? -1 : 0;
}

static int call_order(PyObject *hook, const coro_field_info *fields, size_t count, uint32_t *order)
{
  PyObject *tuple = core_fields(fields, count);
  PyObject *result = tuple ? PyObject_CallFunction(hook, "(O)", tuple) : NULL;
  int status = take_order(result, count, order);
  Py_XDECREF(tuple);
  Py_XDECREF(result);
  return status;
}

static int rematerialise(void *user, const coro_value_info *value, bool *again)
{
  struct hooks *hooks = user;
  PyEval_RestoreThread(*hooks->all->thread);
  int status = call_rematerialise(hooks->rematerialise, value, again);
  *hooks->all->thread = PyEval_SaveThread();
  return status;
}

static int order(void *user, const coro_field_info *fields, size_t count, uint32_t *indices)
{
  struct hooks *hooks = user;
  PyEval_RestoreThread(*hooks->all->thread);
  int status = call_order(hooks->order, fields, count, indices);
  *hooks->all->thread = PyEval_SaveThread();
  return status;
}

static int take_one(struct core_abis *abis, size_t index, PyObject *given)
{
  struct hooks *hooks = &abis->hooks[index];
  coro_custom_abi *abi = &abis->abis[index];
  int base;
  if (!PyTuple_Check(given) || !PyArg_ParseTuple(given, "iOO:abis", &base, &hooks->rematerialise, &hooks->order))
    return -1;
  hooks->all = abis;
  abi->base = (coro_abi_kind)base;
  abi->rematerialise = hooks->rematerialise == Py_None ? NULL : rematerialise;
  abi->order = hooks->order == Py_None ? NULL : order;
  abi->user = hooks;
  return 0;
}

int core_abis_take(struct core_abis *abis, PyObject *given, PyThreadState **thread)
{
  *abis = (struct core_abis){.thread = thread};
  if (given == Py_None)
    return 0;
  if (!PyTuple_Check(given)) {
    PyErr_SetString(PyExc_TypeError, "abis is a tuple of (base, rematerialise, order)");
    return -1;
  }
  size_t count = (size_t)PyTuple_Size(given);
  abis->abis = PyMem_Calloc(count + 1, sizeof *abis->abis);
  abis->hooks = PyMem_Calloc(count + 1, sizeof *abis->hooks);
  if (!abis->abis || !abis->hooks) {
    PyErr_NoMemory();
    return -1;
  }
  for (; abis->count < count; abis->count++)
    if (take_one(abis, abis->count, PyTuple_GetItem(given, (Py_ssize_t)abis->count)) < 0)
      return -1;
  return 0;
}

void core_abis_drop(struct core_abis *abis)
{
  PyMem_Free(abis->abis);
  PyMem_Free(abis->hooks);
}
