/* Methods of Interpreter for suspended coroutines: their names, and reading and changing their saved values.
   Requires: interp_object.h.
   Guarantees: an exception is set for an invalid argument. */
#include "interp_object.h"

/* Parses a handle and enters the interpreter, which excludes other threads. NULL with an exception set. */
static coro_interp *enter_for_handle(PyObject *self, PyObject *argument, void **handle)
{
  *handle = core_nonnull_address_of_int(argument);
  return *handle ? core_interp_enter(self) : NULL;
}

PyObject *core_interp_done(PyObject *self, PyObject *argument)
{
  void *handle;
  coro_interp *interp = enter_for_handle(self, argument, &handle);
  if (!interp)
    return NULL;
  PyObject *done =
      coro_interp_is_defined(interp, handle, sizeof(void *))
          ? PyBool_FromLong(!*(void *const *)handle)
          : core_raise_named(core_state_of(self), "UndefinedError", "the handle is not that of a coroutine frame");
  core_interp_leave(self);
  return done;
}

/* Queries a name of the coroutine with a handle; `otherwise` (NULL: None) if there is none. */
static PyObject *query_name_at_handle(PyObject *self, PyObject *argument,
                                      const char *(*query)(coro_interp *, const void *), const char *otherwise)
{
  void *handle;
  coro_interp *interp = enter_for_handle(self, argument, &handle);
  if (!interp)
    return NULL;
  const char *found = query(interp, handle), *name = found ? found : otherwise;
  PyObject *text = name ? core_make_str(name) : Py_NewRef(Py_None);
  core_interp_leave(self);
  return text;
}

PyObject *core_interp_coroutine(PyObject *self, PyObject *argument)
{
  return query_name_at_handle(self, argument, coro_interp_coroutine, "");
}

PyObject *core_interp_known(PyObject *self, PyObject *argument)
{
  return query_name_at_handle(self, argument, coro_interp_coroutine_at, "");
}

PyObject *core_interp_suspend(PyObject *self, PyObject *argument)
{
  return query_name_at_handle(self, argument, coro_interp_suspend, NULL);
}

PyObject *core_interp_names(PyObject *self, PyObject *argument)
{
  void *handle;
  coro_interp *interp = enter_for_handle(self, argument, &handle);
  if (!interp)
    return NULL;
  const char *const *names = NULL;
  size_t count = coro_interp_value_names(interp, handle, &names);
  PyObject *tuple = core_make_tuple(count, core_make_str_item, names);
  core_interp_leave(self);
  return tuple;
}

PyObject *core_interp_saved_value(PyObject *self, PyObject *args)
{
  PyObject *number;
  Py_ssize_t value;
  void *handle;
  if (!PyArg_ParseTuple(args, "On:saved_value", &number, &value))
    return NULL;
  coro_interp *interp = enter_for_handle(self, number, &handle);
  if (!interp)
    return NULL;
  coro_values saved = coro_interp_get_value(interp, handle, (size_t)value);
  PyObject *bits = core_tuple_of_results(saved.items, saved.count);
  core_interp_leave(self);
  return bits;
}

/* Frees an argument, leaves the interpreter if it was entered, and returns its answer. */
static PyObject *free_argument_and_leave_with_bool(PyObject *self, const coro_interp *interp, void *argument,
                                                   bool answer)
{
  PyMem_Free(argument);
  if (!interp)
    return NULL;
  core_interp_leave(self);
  return PyBool_FromLong(answer);
}

PyObject *core_interp_set_saved_value(PyObject *self, PyObject *args)
{
  PyObject *number, *tuple;
  Py_ssize_t value;
  void *handle;
  if (!PyArg_ParseTuple(args, "OnO!:set_saved_value", &number, &value, &PyTuple_Type, &tuple))
    return NULL;
  coro_value *values = core_values_from_int_tuple(tuple);
  coro_interp *interp = values ? enter_for_handle(self, number, &handle) : NULL;
  bool done = interp &&
              coro_interp_set_value(interp, handle, (size_t)value, (coro_values){values, (size_t)PyTuple_Size(tuple)});
  return free_argument_and_leave_with_bool(self, interp, values, done);
}

/* -1 with an exception set. */
static int parse_value_indices(PyObject *tuple, size_t *indices)
{
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); i++) {
    indices[i] = PyLong_AsSize_t(PyTuple_GetItem(tuple, i));
    if (PyErr_Occurred())
      return -1;
  }
  return 0;
}

PyObject *core_interp_recompute(PyObject *self, PyObject *args)
{
  PyObject *number, *tuple;
  Py_ssize_t changed;
  void *handle;
  if (!PyArg_ParseTuple(args, "OnO!:recompute", &number, &changed, &PyTuple_Type, &tuple))
    return NULL;
  size_t count = (size_t)PyTuple_Size(tuple), *values = PyMem_Calloc(count + 1, sizeof *values);
  if (!values)
    return PyErr_NoMemory();
  coro_interp *interp = parse_value_indices(tuple, values) < 0 ? NULL : enter_for_handle(self, number, &handle);
  bool done = interp && coro_interp_recompute(interp, handle, (size_t)changed, values, count);
  return free_argument_and_leave_with_bool(self, interp, values, done);
}
