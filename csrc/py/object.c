/* Construction, allocation, traversal and deallocation shared by all heap types.
   Requires: the types are not subclassable.
   Guarantees: an object drops its references to type and core. */
#include "state.h"

PyObject *core_new(PyTypeObject *type, PyObject *core, Py_ssize_t *live)
{
  allocfunc allocate = (allocfunc)(intptr_t)PyType_GetSlot(type, Py_tp_alloc);
  PyObject *self = allocate(type, 0);
  if (!self)
    return NULL;
  ((struct core_object *)self)->core = Py_NewRef(core);
  ++*live;
  return self;
}

void core_delete(PyObject *self, Py_ssize_t *live)
{
  PyTypeObject *type = Py_TYPE(self);
  PyObject *core = ((struct core_object *)self)->core;
  freefunc release = (freefunc)(intptr_t)PyType_GetSlot(type, Py_tp_free);
  PyObject_GC_UnTrack(self);
  --*live;
  release(self);
  Py_DECREF(core);
  Py_DECREF(type);
}

int core_traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((struct core_object *)self)->core);
  return 0;
}

int core_add_type(PyObject *core, PyTypeObject **type, const char *name, size_t size, unsigned flags,
                  PyType_Slot *slots)
{
  PyType_Spec spec = {.name = name,
                      .basicsize = (int)size,
                      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | flags,
                      .slots = slots};
  *type = (PyTypeObject *)PyType_FromModuleAndSpec(core, &spec, NULL);
  return *type ? PyModule_AddType(core, *type) : -1;
}
