/* Locks a Module for one thread, so that the GIL can be released while the engine works.
   Guarantees: ClosedError or BusyError if a module cannot be used; never a race, never a crash. After
   core_module_end_lending, the object has no reference to the module of the run. */
#include "module_lock.h"

coro_module *core_module_acquire(struct core_state *state, PyObject *object)
{
  if (!PyObject_TypeCheck(object, state->module.type))
    return (void *)PyErr_Format(PyExc_TypeError, "expected a pycoro._core.Module");
  struct module_object *self = (struct module_object *)object;
  if (self->lent && self->borrowing_thread != PyThread_get_thread_ident())
    return (void *)core_raise_named(
        state, "BusyError",
        "the module is used by a pass on another thread; copy it in the pass and use the copy there");
  if (atomic_exchange(&self->busy, true))
    return (void *)core_raise_named(
        state, "BusyError",
        "the module is in use by another thread, or by the run that called this callback; use a copy of it");
  if (self->module)
    return self->module;
  atomic_store(&self->busy, false);
  return (void *)core_raise_named(
      state, "ClosedError", self->lent ? "the module was passed to a pass that has ended" : "the module was closed");
}

coro_module *core_module_acquire_unless_lent(struct core_state *state, PyObject *object)
{
  coro_module *module = core_module_acquire(state, object);
  if (!module || !((struct module_object *)object)->lent)
    return module;
  core_module_release(object);
  return (void *)core_raise_named(state, "UsageError", "a pass cannot close its module or transfer it; use copy()");
}

void core_module_release(PyObject *object)
{
  atomic_store(&((struct module_object *)object)->busy, false);
}

void module_release_all(PyObject *modules, Py_ssize_t count)
{
  for (Py_ssize_t i = 0; i < count; i++)
    core_module_release(PyTuple_GetItem(modules, i));
}

const coro_module **module_acquire_all(struct core_state *state, PyObject *modules, Py_ssize_t count)
{
  const coro_module **found = PyMem_Calloc((size_t)count + 1, sizeof *found);
  if (!found)
    PyErr_NoMemory();
  for (Py_ssize_t i = 0; found && i < count; i++) {
    found[i] = core_module_acquire(state, PyTuple_GetItem(modules, i));
    if (!found[i]) {
      module_release_all(modules, i);
      PyMem_Free(found);
      return NULL;
    }
  }
  return found;
}

coro_module *core_module_detach_and_unlock(PyObject *object)
{
  struct module_object *self = (struct module_object *)object;
  coro_module *module = self->module;
  self->module = NULL;
  core_module_release(object);
  return module;
}

void core_module_sync_generation(PyObject *object)
{
  struct module_object *self = (struct module_object *)object;
  uint64_t generation = coro_module_generation(self->module);
  if (generation != self->generation)
    value_table_mark_stale_and_empty(&self->values);
  self->generation = generation;
}

/* ---- Modules lent to passes: access for one thread to the module of a run, while a pass runs ---- */

PyObject *core_module_to_lend(PyObject *core)
{
  struct core_state *state = PyModule_GetState(core);
  PyObject *object = core_new(core, &state->module);
  if (!object)
    return NULL;
  struct module_object *self = (struct module_object *)object;
  self->lent = true;
  self->borrowing_thread = PyThread_get_thread_ident();
  atomic_init(&self->busy, false);
  return object;
}

void core_module_lend(PyObject *object, coro_module *module)
{
  ((struct module_object *)object)->module = module;
  core_module_sync_generation(object);
}

void core_module_end_lending(PyObject *object)
{
  ((struct module_object *)object)->module = NULL;
}
