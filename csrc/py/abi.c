/* Custom ABIs written in Python: each function of the policy table calls a Python method. The engine runs without
   the GIL; such a call acquires it.
   Requires: coroutine_dicts.c.
   Guarantees: an exception raised by a method stays set unchanged. */
#include "abi.h"

/* One query of the engine: its subject, and where the answer is stored. */
struct question {
  const void *about;
  size_t count;
  void *answer;
  uint64_t start; /* start of a layout */
};

/* Builds the argument tuple of the call, and stores the result. Both hold the GIL; on failure they return NULL and
   -1 with an exception set. */
typedef PyObject *build_arguments_fn(const struct question *question);
typedef int store_result_fn(const struct question *question, PyObject *result);

/* ---- Arguments ---- */

static PyObject *make_candidate_arguments(const struct question *question)
{
  return Py_BuildValue("(N)", core_make_dict(question->about, core_candidate_members));
}

static PyObject *make_remat_candidate_arguments(const struct question *question)
{
  const bool *again = question->answer;
  return Py_BuildValue("(NO)", core_make_dict(question->about, core_remat_candidate_members),
                       *again ? Py_True : Py_False);
}

static PyObject *make_fields_arguments(const struct question *question)
{
  return Py_BuildValue("(N)", core_tuple_of_field_dicts(question->about, question->count));
}

static PyObject *make_layout_arguments(const struct question *question)
{
  PyObject *fields = core_tuple_of_field_dicts(question->about, question->count);
  return fields ? Py_BuildValue("(NK)", fields, (unsigned long long)question->start) : NULL;
}

static PyObject *make_coroutine_arguments(const struct question *question)
{
  return Py_BuildValue("(N)", core_make_dict(question->about, core_coroutine_members));
}

static PyObject *make_spill_candidate_arguments(const struct question *question)
{
  return Py_BuildValue("(N)", core_make_dict(question->about, core_spill_candidate_members));
}

/* ---- Results; pycoro.abi has already checked their types ---- */

static int store_checked_bool_result(const struct question *question, PyObject *result)
{
  *(bool *)question->answer = result == Py_True;
  return 0;
}

static int store_spill_choice_if_not_none(const struct question *question, PyObject *result)
{
  if (result != Py_None)
    *(coro_spill_choice *)question->answer = result == Py_True ? CORO_SPILL_ALWAYS : CORO_SPILL_NEVER;
  return 0;
}

/* None, or (message, hint). */
static int store_rejection_result(const struct question *question, PyObject *result)
{
  const char *message, *hint;
  if (result == Py_None)
    return 0;
  if (!PyArg_ParseTuple(result, "yy", &message, &hint))
    return -1;
  coro_reject_coroutine(question->answer, message, hint);
  return 0;
}

/* Each element is a number (0), a string constant (1), or the name of a symbol (2). */
static int store_header_result(const struct question *question, PyObject *result)
{
  for (Py_ssize_t i = 0; i < PyTuple_Size(result); i++) {
    unsigned element;
    int kind;
    unsigned long long number;
    const char *text;
    if (!PyArg_ParseTuple(PyTuple_GetItem(result, i), "IiKy", &element, &kind, &number, &text))
      return -1;
    if (kind == 0)
      coro_header_set_number(question->answer, element, number);
    else
      (kind == 1 ? coro_header_set_text : coro_header_set_address)(question->answer, element, text);
  }
  return PyErr_Occurred() ? -1 : 0;
}

/* One index per field. _abi_methods._call_order and layout.c check that they are a permutation. */
static int store_field_indices_unchecked(const struct question *question, PyObject *result)
{
  uint32_t *order = question->answer;
  for (size_t i = 0; i < question->count; i++) {
    PyObject *item = PySequence_GetItem(result, (Py_ssize_t)i);
    unsigned long index = item ? PyLong_AsUnsignedLong(item) : 0;
    Py_XDECREF(item);
    if (PyErr_Occurred())
      return -1;
    order[i] = (uint32_t)index;
  }
  return 0;
}

static int store_field_offsets_result(const struct question *question, PyObject *result)
{
  uint64_t *offsets = question->answer;
  for (size_t i = 0; i < question->count; i++) {
    PyObject *item = PySequence_GetItem(result, (Py_ssize_t)i);
    offsets[i] = item ? PyLong_AsUnsignedLongLong(item) : 0;
    Py_XDECREF(item);
    if (PyErr_Occurred())
      return -1;
  }
  return 0;
}

/* ---- Methods ---- */

/* X(name, type of its subject, type of its answer, its arguments, how its result is stored) */
#define METHODS_FOR_ONE                                                                                                \
  X(select, coro_candidate_info, bool, make_candidate_arguments, store_checked_bool_result)                            \
  X(check, coro_candidate_info, coro_rejection, make_candidate_arguments, store_rejection_result)                      \
  X(header, coro_candidate_info, coro_header, make_candidate_arguments, store_header_result)                           \
  X(rematerialize, coro_remat_candidate_info, bool, make_remat_candidate_arguments, store_checked_bool_result)         \
  X(keep_in_frame, coro_spill_candidate_info, coro_spill_choice, make_spill_candidate_arguments,                       \
    store_spill_choice_if_not_none)                                                                                    \
  X(check_frame, coro_coroutine_info, coro_rejection, make_coroutine_arguments, store_rejection_result)

#define METHODS                                                                                                        \
  METHODS_FOR_ONE                                                                                                      \
  X(order, coro_field_info, uint32_t, make_fields_arguments, store_field_indices_unchecked)                            \
  X(layout, coro_field_info, uint64_t, make_layout_arguments, store_field_offsets_result)

enum method_index {
#define X(name, subject, answer, arguments, store) METHOD_##name,
  METHODS METHOD_COUNT
#undef X
};

static const struct method {
  const char *name; /* name of the method */
  build_arguments_fn *build_arguments;
  store_result_fn *store_result;
} table[METHOD_COUNT] = {
#define X(name, subject, answer, arguments, store) {#name, arguments, store},
    METHODS
#undef X
};

struct abi_methods { /* the overridden methods of one ABI */
  struct core_abis *run;
  PyObject *objects[METHOD_COUNT]; /* borrowed from the run's argument; NULL if not defined */
};

static int call_policy_method(const struct method *kind, PyObject *method, const struct question *question)
{
  PyObject *arguments = kind->build_arguments(question);
  PyObject *result = arguments ? PyObject_Call(method, arguments, NULL) : NULL;
  int status = result ? kind->store_result(question, result) : -1;
  Py_XDECREF(arguments);
  Py_XDECREF(result);
  return status;
}

static int call_policy_method_with_gil(struct abi_methods *methods, int which, const struct question *question)
{
  core_attach(methods->run->thread);
  int status = call_policy_method(&table[which], methods->objects[which], question);
  core_detach(methods->run->thread);
  return status;
}

static int query_order(void *user, const coro_field_info *fields, size_t count, uint32_t *order)
{
  return call_policy_method_with_gil(user, METHOD_order, &(struct question){fields, count, order, 0});
}

static int query_layout(void *user, const coro_field_info *fields, size_t count, uint64_t start, uint64_t *offsets)
{
  return call_policy_method_with_gil(user, METHOD_layout, &(struct question){fields, count, offsets, start});
}

#define X(name, subject, answer, arguments, store)                                                                     \
  static int query_##name(void *user, const subject *about, answer *result)                                            \
  {                                                                                                                    \
    return call_policy_method_with_gil(user, METHOD_##name, &(struct question){about, 1, result, 0});                  \
  }
METHODS_FOR_ONE
#undef X

/* ---- The ABIs of a run ---- */

/* -1: `given` is no tuple of (base, name, methods, hook_module, clone_per_suspend). */
static int append_abi_from_tuple(void *into, PyObject *given)
{
  struct core_abis *abis = into;
  struct abi_methods *methods = &abis->methods[abis->count];
  coro_custom_abi *abi = &abis->abis[abis->count];
  int base, each;
  Py_ssize_t size = 0;
  PyObject *by_name;
  if (!PyTuple_Check(given)) {
    PyErr_SetString(PyExc_TypeError, "an ABI must be a tuple of (base, name, methods, hook_module, clone_per_suspend)");
    return -1;
  }
  if (!PyArg_ParseTuple(given, "iyO!z#p:abis", &base, &abi->name, &PyDict_Type, &by_name, &abi->hook_module, &size,
                        &each))
    return -1;
  abi->hook_module_size = (size_t)size;
  abi->clone_per_suspend = each;
  methods->run = abis;
  for (int h = 0; h < METHOD_COUNT; h++)
    methods->objects[h] = PyDict_GetItemString(by_name, table[h].name);
  abi->base = (coro_abi_kind)base;
  abi->user = methods;
#define X(name, subject, answer, arguments, store) abi->name = methods->objects[METHOD_##name] ? query_##name : NULL;
  METHODS
#undef X
  abis->count++;
  return 0;
}

int core_abis_from_tuple(struct core_abis *abis, PyObject *given, PyThreadState **thread)
{
  *abis = (struct core_abis){.thread = thread,
                             .abis = core_array_for_tuple(given, sizeof *abis->abis),
                             .methods = core_array_for_tuple(given, sizeof *abis->methods)};
  return core_read_tuple(given, "abis must be a tuple of (base, name, methods, hook_module, clone_per_suspend) tuples",
                         abis->abis && abis->methods, append_abi_from_tuple, abis);
}

void core_abis_free_content(struct core_abis *abis)
{
  PyMem_Free(abis->abis);
  PyMem_Free(abis->methods);
}
