/* Exclusive use of a Module: a thread locks it, so that the GIL can be released while the engine works.
   Requires: state.h.
   Guarantees: ClosedError or BusyError if a module cannot be used; never a race, never a crash. */
#include "module_lock.h"

coro_module *core_module_acquire(struct core_state *state, PyObject *object)
{
  if (!PyObject_TypeCheck(object, state->module_type)) {
    PyErr_SetString(PyExc_TypeError, "a pycoro._core.Module is needed");
    return NULL;
  }
  struct module_object *self = (struct module_object *)object;
  if (self->lent && self->lent_to != PyThread_get_thread_ident()) {
    core_raise_named(
        state, "BusyError",
        "the module is lent to a pass, and its pass runs on another thread; a copy that the pass makes may be "
        "used there");
    return NULL;
  }
  if (atomic_exchange(&self->busy, true)) {
    core_raise_named(state, "BusyError",
                     "the module is in use, by another thread or by the run whose callback this is; a module is used "
                     "by one thread at a time, a copy of it may be used meanwhile");
    return NULL;
  }
  if (self->module)
    return self->module;
  atomic_store(&self->busy, false);
  core_raise_named(state, "ClosedError",
                   self->lent ? "the module was lent to a pass, which has ended" : "the module was closed");
  return NULL;
}

coro_module *core_module_acquire_own(struct core_state *state, PyObject *object)
{
  coro_module *module = core_module_acquire(state, object);
  if (!module || !((struct module_object *)object)->lent)
    return module;
  core_module_release(object);
  core_raise_named(state, "UsageError",
                   "the module is lent to a pass, which can neither close it nor give it away; copy() it");
  return NULL;
}

void core_module_release(PyObject *object)
{
  atomic_store(&((struct module_object *)object)->busy, false);
}

coro_module *core_module_detach(PyObject *object)
{
  struct module_object *self = (struct module_object *)object;
  coro_module *module = self->module;
  self->module = NULL;
  core_module_release(object);
  return module;
}

void core_module_changed(PyObject *object)
{
  struct module_object *self = (struct module_object *)object;
  uint64_t generation = coro_module_generation(self->module);
  if (generation != self->generation)
    value_table_forget(&self->values);
  self->generation = generation;
}
