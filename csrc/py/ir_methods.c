/* Python methods for the queries: one per row of ir_queries.def, and those of a module.
   Requires: ir.h.
   Guarantees: the module is locked only during the call. */
#include "ir.h"

static PyObject *query_value_property(PyObject *core, PyObject *object, unsigned kinds, ir_getter *get)
{
  struct value_object *self = core_ir_acquire_module_of_value(PyModule_GetState(core), object);
  if (!self)
    return NULL;
  PyObject *result = kinds >> self->kind & 1 ? get(self) : Py_NewRef(Py_None);
  core_module_release(self->module);
  return result;
}

#define IR_QUERY(name, kinds, doc)                                                                                     \
  static PyObject *query_##name(PyObject *core, PyObject *value)                                                       \
  {                                                                                                                    \
    return query_value_property(core, value, kinds, ir_get_##name);                                                    \
  }
#include "ir_queries.def"

/* The objects of a linked list of functions or globals. */
static PyObject *list_global_values(PyObject *core, PyObject *module, LLVMValueRef (*first)(LLVMModuleRef),
                                    LLVMValueRef (*next)(LLVMValueRef))
{
  const coro_module *locked = core_module_acquire(PyModule_GetState(core), module);
  PyObject *list = locked ? PyList_New(0) : NULL;
  for (LLVMValueRef v = list ? first(coro_module_llvm(locked)) : NULL; v && list; v = next(v))
    core_list_append(&list, core_ir_value(module, v));
  if (locked)
    core_module_release(module);
  return list;
}

/* Whether LLVM-C can access its elements. */
static bool has_accessible_elements(const struct value_object *self)
{
  switch (self->kind == IR_CONSTANT ? LLVMGetTypeKind(LLVMTypeOf(self->value)) : LLVMVoidTypeKind) {
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind: return true;
  default: return false;
  }
}

/* The n-th element of an aggregate. Elements are accessed singly because all of them may exceed memory. */
static PyObject *aggregate_element(PyObject *core, PyObject *args)
{
  PyObject *object;
  unsigned index;
  if (!PyArg_ParseTuple(args, "OI:ir_element", &object, &index))
    return NULL;
  struct value_object *self = core_ir_acquire_module_of_value(PyModule_GetState(core), object);
  if (!self)
    return NULL;
  LLVMValueRef found = has_accessible_elements(self) ? LLVMGetAggregateElement(self->value, index) : NULL;
  PyObject *result = core_ir_value(self->module, found);
  core_module_release(self->module);
  return result;
}

#define LIST(name, kind)                                                                                               \
  static PyObject *list_##name(PyObject *core, PyObject *module)                                                       \
  {                                                                                                                    \
    return list_global_values(core, module, LLVMGetFirst##kind, LLVMGetNext##kind);                                    \
  }
LIST(functions, Function)
LIST(variables, Global)
LIST(aliases, GlobalAlias)
LIST(ifuncs, GlobalIFunc)

/* Registers the subclasses of Value that pycoro.ir defines, by the names of ir_kinds.def. */
static PyObject *register_value_classes(PyObject *core, PyObject *dict)
{
  static const char *const names[] = {
#define IR_KIND(name, class) class,
#include "ir_kinds.def"
  };
  struct core_state *state = PyModule_GetState(core);
  PyObject *tuple = PyDict_Check(dict) ? PyTuple_New(IR_KINDS) : NULL;
  for (Py_ssize_t i = 0; tuple && i < IR_KINDS; i++) {
    PyObject *type = PyDict_GetItemString(dict, names[i]);
    bool fits = type && PyType_Check(type) && PyType_IsSubtype((PyTypeObject *)type, state->value.type);
    core_tuple_set(&tuple, i, fits ? Py_NewRef(type) : NULL);
  }
  if (!tuple)
    return PyErr_Occurred()
               ? NULL
               : PyErr_Format(PyExc_TypeError, "the classes must be a dict by name, each derived from Value");
  PyObject *before = state->ir_classes;
  state->ir_classes = tuple;
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

PyMethodDef core_ir_methods[] = {
#define IR_QUERY(name, kinds, doc) {"ir_" #name, query_##name, METH_O, PyDoc_STR("ir_" #name "(value, /)\n--\n\n" doc)},
#include "ir_queries.def"
    {"ir_element", aggregate_element, METH_VARARGS,
     PyDoc_STR("ir_element(value, index, /)\n--\n\nAn element of a constant aggregate; None if it does not exist.")},
    {"ir_functions", list_functions, METH_O, PyDoc_STR("ir_functions(module, /)\n--\n\nThe functions, in order.")},
    {"ir_variables", list_variables, METH_O,
     PyDoc_STR("ir_variables(module, /)\n--\n\nThe global variables, in order.")},
    {"ir_aliases", list_aliases, METH_O, PyDoc_STR("ir_aliases(module, /)\n--\n\nThe aliases, in order.")},
    {"ir_ifuncs", list_ifuncs, METH_O, PyDoc_STR("ir_ifuncs(module, /)\n--\n\nThe ifuncs, in order.")},
    {"ir_classes", register_value_classes, METH_O,
     PyDoc_STR("ir_classes(classes, /)\n--\n\nRegisters the Python class of each kind of value.")},
    {NULL, NULL, 0, NULL},
};
