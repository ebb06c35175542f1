/* The type Value: one LLVMValueRef of a Module. A table maps each value to its only live object.
   Requires: the classes of pycoro.ir, registered by ir_classes.
   Guarantees: `is` tells whether two values are the same. */
#include "ir.h"

static enum ir_kind value_kind_index(LLVMValueRef value)
{
  switch (LLVMGetValueKind(value)) {
  case LLVMArgumentValueKind: return IR_ARGUMENT;
  case LLVMBasicBlockValueKind: return IR_BLOCK;
  case LLVMFunctionValueKind: return IR_FUNCTION;
  case LLVMGlobalVariableValueKind: return IR_VARIABLE;
  case LLVMGlobalAliasValueKind: return IR_ALIAS;
  case LLVMGlobalIFuncValueKind: return IR_IFUNC;
  /* LLVM-C has no kind for some constants and reports them as instructions */
  case LLVMInstructionValueKind: return LLVMIsAInstruction(value) ? IR_INSTRUCTION : IR_CONSTANT;
  case LLVMInlineAsmValueKind: return IR_ASM;
  case LLVMMetadataAsValueValueKind: return IR_METADATA;
  default: return IR_CONSTANT;
  }
}

/* ---- Objects of values ---- */

/* The class of a kind of value, borrowed; registered when pycoro.ir is imported. */
static PyTypeObject *class_of_kind(struct core_state *state, enum ir_kind kind)
{
  if (!state->ir_classes) {
    PyObject *package = PyImport_ImportModule("pycoro.ir");
    Py_XDECREF(package);
    if (!package)
      return NULL;
  }
  if (!state->ir_classes)
    return (void *)PyErr_Format(PyExc_ImportError, "pycoro.ir has not registered its classes; import pycoro.ir first");
  return (PyTypeObject *)PyTuple_GetItem(state->ir_classes, (Py_ssize_t)kind);
}

static PyObject *make_value(PyObject *module, LLVMValueRef value)
{
  PyObject *core = ((struct core_object *)module)->core;
  struct core_state *state = PyModule_GetState(core);
  enum ir_kind kind = value_kind_index(value);
  PyTypeObject *type = class_of_kind(state, kind);
  struct value_object *self = type ? (struct value_object *)core_new_derived(core, &state->value, type) : NULL;
  if (!self)
    return NULL;
  self->module = Py_NewRef(module);
  self->value = value;
  self->kind = kind;
  if (!value_table_put(&((struct module_object *)module)->values, self))
    Py_CLEAR(self);
  return (PyObject *)self;
}

PyObject *core_ir_value(PyObject *module, LLVMValueRef value)
{
  if (!value)
    return Py_NewRef(Py_None);
  PyObject *live = (PyObject *)value_table_find(&((struct module_object *)module)->values, value);
  /* An object that is being deallocated is not revived. */
  return live && Py_REFCNT(live) > 0 ? Py_NewRef(live) : make_value(module, value);
}

PyObject *core_ir_block(PyObject *module, LLVMBasicBlockRef block)
{
  return core_ir_value(module, block ? LLVMBasicBlockAsValue(block) : NULL);
}

PyObject *core_ir_values(PyObject *module, const LLVMValueRef *values, size_t count)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; i++)
    core_tuple_set(&tuple, (Py_ssize_t)i, core_ir_value(module, values[i]));
  return tuple;
}

PyObject *core_ir_each(PyObject *module, LLVMValueRef value, unsigned count, ir_nth *nth)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (unsigned i = 0; tuple && i < count; i++)
    core_tuple_set(&tuple, (Py_ssize_t)i, core_ir_value(module, nth(value, i)));
  return tuple;
}

static PyObject *value_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
  (void)type;
  return PyErr_Format(PyExc_TypeError,
                      "values cannot be constructed; get them from a module, as module.functions[name].blocks[0]");
}

static void value_dealloc(PyObject *object)
{
  struct value_object *self = (struct value_object *)object;
  PyObject *module = self->module;
  if (module && self->value)
    value_table_remove(&((struct module_object *)module)->values, self);
  core_free_heap_type_object(object);
}

/* ---- Invalidation ---- */

static void mark_value_stale(PyObject *module, LLVMValueRef value)
{
  struct value_table *values = &((struct module_object *)module)->values;
  struct value_object *object = value_table_find(values, value);
  if (!object)
    return;
  value_table_remove(values, object);
  object->value = NULL;
  object->erased = true;
}

static void mark_block_and_instructions_stale(PyObject *module, LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    mark_value_stale(module, i);
  mark_value_stale(module, LLVMBasicBlockAsValue(block));
}

void core_ir_mark_value_contents_metadata_stale(PyObject *module, LLVMValueRef value)
{
  if (!((struct module_object *)module)->values.count)
    return;
  core_ir_mark_metadata_stale(module);
  enum ir_kind kind = value_kind_index(value);
  if (kind == IR_BLOCK) {
    mark_block_and_instructions_stale(module, LLVMValueAsBasicBlock(value));
    return;
  }
  if (kind == IR_FUNCTION) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(value); b; b = LLVMGetNextBasicBlock(b))
      mark_block_and_instructions_stale(module, b);
    for (LLVMValueRef a = LLVMGetFirstParam(value); a; a = LLVMGetNextParam(a))
      mark_value_stale(module, a);
  }
  mark_value_stale(module, value);
}

/* Whether LLVM may destroy the value implicitly: a constant without uses, or one replaced by another constant. */
static bool may_llvm_destroy_value(const struct value_object *object)
{
  return object->kind == IR_CONSTANT && LLVMGetNumOperands(object->value) > 0;
}

static bool is_metadata(const struct value_object *object)
{
  return object->kind == IR_METADATA;
}

static void mark_matching_values_stale(PyObject *module, bool (*is_affected)(const struct value_object *object))
{
  struct value_table *values = &((struct module_object *)module)->values;
  for (size_t slot = 0; slot < values->capacity; slot++) /* entries that move are visited later */
    while (slot < values->capacity && values->slots[slot] && is_affected(values->slots[slot]))
      mark_value_stale(module, values->slots[slot]->value);
}

void core_ir_mark_constants_and_metadata_stale(PyObject *module)
{
  mark_matching_values_stale(module, may_llvm_destroy_value);
  core_ir_mark_metadata_stale(module);
}

void core_ir_mark_metadata_stale(PyObject *module)
{
  if (((struct module_object *)module)->values.metadata)
    mark_matching_values_stale(module, is_metadata);
}

void core_ir_mark_module_edited(PyObject *module)
{
  struct module_object *self = (struct module_object *)module;
  coro_module_mark_edited(self->module);
  self->generation = coro_module_generation(self->module);
}

/* ---- Queries ---- */

static void *raise_stale_view_error(struct core_state *state, const struct value_object *self)
{
  return core_raise_named(state, "StaleViewError",
                          self->erased ? "this value was erased from its module"
                                       : "the module has changed since this view was created; get a new one from "
                                         "the module");
}

struct value_object *core_ir_acquire_module_of_value(struct core_state *state, PyObject *object)
{
  struct value_object *self = (struct value_object *)object;
  if (!PyObject_TypeCheck(object, state->value.type))
    return (void *)PyErr_Format(PyExc_TypeError, "expected a value of pycoro.ir, not %R", object);
  if (!core_module_acquire(state, self->module))
    return NULL;
  if (self->value)
    return self;
  core_module_release(self->module);
  return raise_stale_view_error(state, self);
}

LLVMValueRef core_ir_unwrap(struct core_state *state, PyObject *object, PyObject *module)
{
  const struct value_object *self = (struct value_object *)object;
  if (!PyObject_TypeCheck(object, state->value.type))
    return (void *)PyErr_Format(PyExc_TypeError, "expected a value of pycoro.ir, not %R", object);
  if (!self->value)
    return raise_stale_view_error(state, self);
  if (self->module != module)
    return (void *)core_raise_named(state, "UsageError", "this value belongs to another module");
  return self->value;
}

static PyObject *get_core_module_of_value(PyObject *object, void *Py_UNUSED(closure))
{
  return Py_NewRef(((struct value_object *)object)->module);
}

static PyObject *get_is_stale(PyObject *object, void *Py_UNUSED(closure))
{
  const struct value_object *self = (struct value_object *)object;
  return PyBool_FromLong(!self->value || !((struct module_object *)self->module)->module);
}

static PyGetSetDef getset[] = {
    {"core", get_core_module_of_value, NULL, PyDoc_STR("The module, which the value keeps alive."), NULL},
    {"is_stale", get_is_stale, NULL,
     PyDoc_STR(
         "Whether the value was erased, or its module was closed or changed by a run; all other uses raise then."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static const size_t owned[] = {offsetof(struct value_object, module), 0};

static PyType_Slot slots[] = {
    CORE_COMMON_SLOTS("An LLVM value of a module; the base class of the classes of pycoro.ir.", value_dealloc),
    {Py_tp_new, CORE_SLOT(value_new)},
    {Py_tp_getset, getset},
    {0, NULL},
};

const struct core_type_spec core_value_spec = {"pycoro._core.Value", sizeof(struct value_object), Py_TPFLAGS_BASETYPE,
                                               slots, owned};
