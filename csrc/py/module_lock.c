/* Locks a Module for one thread, so that the GIL can be released while the engine works.
   Guarantees: ClosedError or BusyError if a module cannot be used; never a race, never a crash. */
#include "module_lock.h"

coro_module *core_module_acquire(struct core_state *state, PyObject *object)
{
  if (!PyObject_TypeCheck(object, state->module.type)) {
    PyErr_SetString(PyExc_TypeError, "expected a pycoro._core.Module");
    return NULL;
  }
  struct module_object *self = (struct module_object *)object;
  if (self->lent && self->borrowing_thread != PyThread_get_thread_ident()) {
    core_raise_named(state, "BusyError",
                     "the module is used by a pass on another thread; copy it in the pass and use the copy there");
    return NULL;
  }
  if (atomic_exchange(&self->busy, true)) {
    core_raise_named(
        state, "BusyError",
        "the module is in use by another thread, or by the run that called this callback; use a copy of it");
    return NULL;
  }
  if (self->module)
    return self->module;
  atomic_store(&self->busy, false);
  core_raise_named(state, "ClosedError",
                   self->lent ? "the module was passed to a pass that has ended" : "the module was closed");
  return NULL;
}

coro_module *core_module_acquire_unless_lent(struct core_state *state, PyObject *object)
{
  coro_module *module = core_module_acquire(state, object);
  if (!module || !((struct module_object *)object)->lent)
    return module;
  core_module_release(object);
  core_raise_named(state, "UsageError", "a pass cannot close its module or transfer it; use copy()");
  return NULL;
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
