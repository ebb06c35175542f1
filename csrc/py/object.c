/* Constructs, allocates, traverses and deallocates objects of all heap types of the extension.
   Requires: their objects begin with struct core_object.
   Guarantees: an object drops its references to type and core. */
#include "state.h"

int core_add_type(PyObject *core, struct core_type *type, const struct core_type_spec *spec)
{
  PyType_Spec made = {.name = spec->name,
                      .basicsize = (int)spec->size,
                      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | spec->flags,
                      .slots = spec->slots};
  type->spec = spec;
  type->type = (PyTypeObject *)PyType_FromModuleAndSpec(core, &made, NULL);
  return type->type ? PyModule_AddType(core, type->type) : -1;
}

PyObject *core_new(PyObject *core, struct core_type *type)
{
  return core_new_derived(core, type, type->type);
}

PyObject *core_new_of_type_at_state_offset(PyTypeObject *type, size_t offset)
{
  PyObject *core = PyType_GetModule(type);
  return core_new(core, (struct core_type *)(void *)((char *)PyModule_GetState(core) + offset));
}

PyObject *core_new_derived(PyObject *core, struct core_type *type, PyTypeObject *derived)
{
  allocfunc allocate = (allocfunc)(intptr_t)PyType_GetSlot(derived, Py_tp_alloc);
  PyObject *self = allocate(derived, 0);
  if (!self)
    return NULL;
  ((struct core_object *)self)->core = Py_NewRef(core);
  ((struct core_object *)self)->type = type;
  ++type->live;
  return self;
}

static PyObject **owned_reference(PyObject *self, size_t offset)
{
  return (PyObject **)(void *)((char *)self + offset);
}

int core_traverse_members(PyObject *self, visitproc visit, void *arg)
{
  const struct core_object *object = (struct core_object *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object->core);
  for (const size_t *offset = object->type->spec->owned; offset && *offset; offset++)
    Py_VISIT(*owned_reference(self, *offset));
  return 0;
}

int core_clear_members(PyObject *self)
{
  const struct core_object *object = (struct core_object *)self;
  for (const size_t *offset = object->type->spec->owned; offset && *offset; offset++)
    Py_CLEAR(*owned_reference(self, *offset));
  return 0;
}

void core_free_heap_type_object(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  const struct core_object *object = (struct core_object *)self;
  PyObject *core = object->core;
  freefunc release = (freefunc)(intptr_t)PyType_GetSlot(type, Py_tp_free);
  PyObject_GC_UnTrack(self);
  core_clear_members(self);
  --object->type->live;
  release(self);
  Py_DECREF(core);
  Py_DECREF(type);
}

PyObject *core_return_self(PyObject *self)
{
  return Py_NewRef(self);
}

PyObject *core_is_null(PyObject *self, void *closure)
{
  return PyBool_FromLong(!*owned_reference(self, (size_t)(uintptr_t)closure));
}
