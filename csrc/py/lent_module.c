/* Module objects for Python passes. Such an object gives one thread access to the module that a pipeline run works on,
   while the pass runs.
   Requires: module_lock.h.
   Guarantees: after core_module_end_lending, the object has no reference to that module. */
#include "module_lock.h"

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
