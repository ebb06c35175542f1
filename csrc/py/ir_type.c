/* The type Type: an LLVM type in the context of a Module, which it keeps alive. LLVM-C is only called for kinds of
   types that support the query.
   Requires: state.h, LLVM-C.
   Guarantees: ClosedError once the module is closed. */
#include "ir_type.h"

#include <string.h>

#include "llvm-c/Core.h"

struct type_object {
  struct core_object base;
  PyObject *module;
  LLVMTypeRef type;
};

PyObject *core_type_new(PyObject *module, LLVMTypeRef type)
{
  struct core_state *state = core_state_of(module);
  PyObject *object = core_new(((struct core_object *)module)->core, &state->ir_type);
  if (!object)
    return NULL;
  struct type_object *self = (struct type_object *)object;
  self->module = Py_NewRef(module);
  self->type = type;
  return object;
}

/* The LLVM type of a Type object of the module. NULL with TypeError or UsageError set; `what` names the type's role. */
static LLVMTypeRef type_of_object(PyObject *module, PyObject *object, const char *what)
{
  struct core_state *state = core_state_of(module);
  if (Py_TYPE(object) != state->ir_type.type)
    return (void *)PyErr_Format(PyExc_TypeError, "%s must be a Type or the text of a type, not %R", what, object);
  const struct type_object *self = (struct type_object *)object;
  if (self->module == module)
    return self->type;
  return (void *)core_raise_named(state, "UsageError",
                                  "the type belongs to another module: parse its text in this one");
}

/* ---- Queries: called with the module locked, on types of certain kinds ---- */

typedef PyObject *property_getter(const struct type_object *self, coro_module *module);

static PyObject *text_of_type(const struct type_object *self, coro_module *module)
{
  char *text = NULL;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = coro_type_print(module, self->type, &text, diags);
  PyObject *result = status ? core_raise(core_state_of(self->module), status, diags) : core_make_str(text);
  coro_string_free(text);
  coro_diags_free(diags);
  return result;
}

static PyObject *query_size_or_alignment(const struct type_object *self, coro_module *module, bool align)
{
  uint64_t size, aligned;
  coro_status status = coro_type_layout(module, self->type, &size, &aligned);
  if (status)
    return core_raise(core_state_of(self->module), status, NULL);
  return aligned ? PyLong_FromUnsignedLongLong(align ? aligned : size) : Py_NewRef(Py_None);
}

unsigned ir_bit_width_of_number(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind: return 16;
  case LLVMFloatTypeKind: return 32;
  case LLVMDoubleTypeKind: return 64;
  case LLVMX86_FP80TypeKind: return 80;
  default: return 128;
  }
}

static PyObject *contained_types_from(const struct type_object *self, unsigned first_index)
{
  unsigned count = LLVMGetNumContainedTypes(self->type);
  LLVMTypeRef *parts = PyMem_Malloc((count + !count) * sizeof(LLVMTypeRef));
  if (!parts)
    return PyErr_NoMemory();
  LLVMGetSubtypes(self->type, parts);
  PyObject *tuple = PyTuple_New((Py_ssize_t)(count - first_index));
  for (unsigned i = first_index; tuple && i < count; i++)
    core_tuple_set(&tuple, (Py_ssize_t)(i - first_index), core_type_new(self->module, parts[i]));
  PyMem_Free(parts);
  return tuple;
}

static PyObject *element_offsets(const struct type_object *self, coro_module *module)
{
  uint64_t size, align = 0, offset = 0;
  coro_status status = coro_type_layout(module, self->type, &size, &align);
  if (!status && !align)
    return Py_NewRef(Py_None);
  unsigned count = LLVMCountStructElementTypes(self->type);
  PyObject *tuple = status ? NULL : PyTuple_New((Py_ssize_t)count);
  for (unsigned i = 0; tuple && i < count; i++) {
    status = coro_type_offset(module, self->type, i, &offset);
    core_tuple_set(&tuple, (Py_ssize_t)i, status ? NULL : PyLong_FromUnsignedLongLong(offset));
  }
  return status ? core_raise(core_state_of(self->module), status, NULL) : tuple;
}

static PyObject *name_of_type(const struct type_object *self)
{
  bool target = LLVMGetTypeKind(self->type) == LLVMTargetExtTypeKind;
  const char *name = target                            ? LLVMGetTargetExtTypeName(self->type)
                     : LLVMIsLiteralStruct(self->type) ? NULL
                                                       : LLVMGetStructName(self->type);
  return name ? core_make_str(name) : Py_NewRef(Py_None);
}

static PyObject *element_count(LLVMTypeRef type)
{
  bool array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
  return PyLong_FromUnsignedLongLong(array ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type));
}

/* X(name, keywords of the kinds that have it, its value, documentation) */
#define EVERY ""
#define PROPERTIES                                                                                                     \
  X(kind, EVERY, core_make_str(coro_type_kind(self->type)), "The kind, such as 'integer' or 'struct'.")                \
  X(text, EVERY, text_of_type(self, module), "The type as LLVM prints it. UsageError if it is too long.")              \
  X(size, EVERY, query_size_or_alignment(self, module, false),                                                         \
    "Allocation size in bytes, including padding; None if it is not known at compile time.")                           \
  X(align, EVERY, query_size_or_alignment(self, module, true), "ABI alignment in bytes; None if size is None.")        \
  X(bits, "integer float", PyLong_FromUnsignedLong(ir_bit_width_of_number(self->type)),                                \
    "Width in bits of an integer or a float.")                                                                         \
  X(elements, "struct", contained_types_from(self, 0), "Element types of a struct.")                                   \
  X(offsets, "struct", element_offsets(self, module),                                                                  \
    "Offset in bytes of each element of a struct; None if size is None.")                                              \
  X(packed, "struct", PyBool_FromLong(LLVMIsPackedStruct(self->type)), "Whether a struct is packed, without padding.") \
  X(opaque, "struct", PyBool_FromLong(LLVMIsOpaqueStruct(self->type)), "Whether a struct is opaque.")                  \
  X(name, "struct target", name_of_type(self),                                                                         \
    "Name of a struct, without the %, or of a target type; None without a name.")                                      \
  X(element, "array vector", core_type_new(self->module, LLVMGetElementType(self->type)),                              \
    "Element type of an array or a vector.")                                                                           \
  X(count, "array vector", element_count(self->type),                                                                  \
    "Number of elements of an array or a vector, to be multiplied by vscale if it is scalable.")                       \
  X(scalable, "vector", PyBool_FromLong(LLVMGetTypeKind(self->type) == LLVMScalableVectorTypeKind),                    \
    "Whether a vector is scalable: its length is a multiple of vscale.")                                               \
  X(address_space, "pointer", PyLong_FromUnsignedLong(LLVMGetPointerAddressSpace(self->type)),                         \
    "Address space of a pointer.")                                                                                     \
  X(result, "function", core_type_new(self->module, LLVMGetReturnType(self->type)),                                    \
    "Result type of a function, possibly void.")                                                                       \
  X(parameters, "function", contained_types_from(self, 1), "Parameter types of a function.")                           \
  X(variadic, "function", PyBool_FromLong(LLVMIsFunctionVarArg(self->type)),                                           \
    "Whether a function takes variable arguments.")

#define X(name, kinds, value, doc)                                                                                     \
  static PyObject *get_##name(const struct type_object *self, coro_module *module)                                     \
  {                                                                                                                    \
    (void)module;                                                                                                      \
    return value;                                                                                                      \
  }
PROPERTIES
#undef X

static const struct property {
  const char *name, *kinds;
  property_getter *get;
} properties[] = {
#define X(name, kinds, value, doc) {#name, kinds, get_##name},
    PROPERTIES
#undef X
};

enum property_index {
#define X(name, kinds, value, doc) PROPERTY_##name,
  PROPERTIES
#undef X
};

static bool kind_has_property(const struct property *property, const char *kind)
{
  const char *at = strstr(property->kinds, kind);
  size_t length = strlen(kind);
  return !*property->kinds || (at && (at[length] == ' ' || !at[length]));
}

static PyObject *get_property(PyObject *object, void *closure)
{
  const struct type_object *self = (const struct type_object *)object;
  const struct property *property = closure;
  coro_module *module = core_module_acquire(core_state_of(object), self->module);
  if (!module)
    return NULL;
  const char *kind = coro_type_kind(self->type);
  PyObject *result =
      kind_has_property(property, kind)
          ? property->get(self, module)
          : PyErr_Format(PyExc_AttributeError, "a type of kind '%s' has no %s; only types of kind '%s' have it", kind,
                         property->name, property->kinds);
  core_module_release(self->module);
  return result;
}

/* ---- Object protocol ---- */

static PyObject *type_str(PyObject *object)
{
  return get_property(object, (void *)(uintptr_t)&properties[PROPERTY_text]);
}

/* A struct name may contain bytes that are not UTF-8. */
static PyObject *type_repr(PyObject *object)
{
  PyObject *text = type_str(object);
  if (!text) {
    PyErr_Clear();
    return PyUnicode_FromString("<Type that is too long to print>");
  }
  PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
  PyObject *result = bytes ? PyUnicode_FromFormat("<Type %s>", PyBytes_AsString(bytes)) : NULL;
  Py_XDECREF(bytes);
  Py_DECREF(text);
  return result;
}

static PyObject *type_compare(PyObject *left, PyObject *right, int how)
{
  struct core_state *state = core_state_of(left);
  if ((how != Py_EQ && how != Py_NE) || Py_TYPE(right) != state->ir_type.type)
    Py_RETURN_NOTIMPLEMENTED;
  const struct type_object *a = (struct type_object *)left, *b = (struct type_object *)right;
  return PyBool_FromLong((a->type == b->type && a->module == b->module) == (how == Py_EQ));
}

static Py_hash_t type_hash(PyObject *object)
{
  Py_hash_t value = (Py_hash_t)((uintptr_t)((struct type_object *)object)->type >> 4);
  return value == -1 ? -2 : value;
}

static PyGetSetDef getset[] = {
#define X(name, kinds, value, doc)                                                                                     \
  {#name, get_property, NULL, PyDoc_STR(doc), (void *)(uintptr_t)&properties[PROPERTY_##name]},
    PROPERTIES
#undef X
    {NULL, NULL, NULL, NULL, NULL},
};

static const size_t owned[] = {offsetof(struct type_object, module), 0};

static PyType_Slot slots[] = {
    CORE_COMMON_SLOTS("A type of a module, created by `Module.types`. Two objects of one type are equal.\n\n>>> "
                      "pair = pycoro.Module('').types.parse('{ i8, i32 }')\n>>> pair.kind, pair.size, pair.align, "
                      "pair.offsets\n('struct', 8, 4, (0, 4))",
                      core_free_heap_type_object),
    {Py_tp_getset, getset},
    {Py_tp_repr, CORE_SLOT(type_repr)},
    {Py_tp_str, CORE_SLOT(type_str)},
    {Py_tp_richcompare, CORE_SLOT(type_compare)},
    {Py_tp_hash, CORE_SLOT(type_hash)},
    {0, NULL},
};

const struct core_type_spec core_ir_type_spec = {"pycoro._core.Type", sizeof(struct type_object),
                                                 Py_TPFLAGS_DISALLOW_INSTANTIATION, slots, owned};

/* ---- Types from text or from component types; UsageError for types that LLVM does not have ---- */

struct made {
  coro_module *module;
  coro_type_spec wanted;
  LLVMTypeRef type;
};

static PyObject *parse_type_text(PyObject *self, const char *text, void *data)
{
  struct made *made = data;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = coro_type_parse(made->module, text, &made->type, diags);
  return core_none_or_raise(self, status, diags);
}

static PyObject *create_wanted_type(PyObject *self, const char *name, void *data)
{
  struct made *made = data;
  coro_diags *diags = core_create_diags_or_null();
  made->wanted.name = name;
  coro_status status = coro_type_create(made->module, &made->wanted, &made->type, diags);
  return core_none_or_raise(self, status, diags);
}

LLVMTypeRef core_type_of_object_or_text(PyObject *module, coro_module *locked, PyObject *object, const char *what)
{
  if (!PyUnicode_Check(object))
    return type_of_object(module, object, what);
  struct made made = {.module = locked};
  PyObject *done = core_with_name(module, object, parse_type_text, &made);
  Py_XDECREF(done);
  return done ? made.type : NULL;
}

/* Converts a tuple of types to an array. NULL with an exception set if an element is not a type. */
static LLVMTypeRef *convert_element_types(PyObject *module, coro_module *locked, PyObject *tuple, size_t *count)
{
  *count = (size_t)PyTuple_Size(tuple);
  LLVMTypeRef *parts = PyMem_Malloc((*count + 1) * sizeof(LLVMTypeRef));
  for (size_t i = 0; parts && i < *count; i++) {
    parts[i] =
        core_type_of_object_or_text(module, locked, PyTuple_GetItem(tuple, (Py_ssize_t)i), "the components of a type");
    if (!parts[i]) {
      PyMem_Free(parts);
      return NULL;
    }
  }
  return parts ? parts : (LLVMTypeRef *)(void *)PyErr_NoMemory();
}

static coro_type_form type_form_of_keyword(const char *keyword)
{
  static const char *const keywords[] = {[CORO_TYPE_PLAIN] = "plain",      [CORO_TYPE_INTEGER] = "integer",
                                         [CORO_TYPE_POINTER] = "pointer",  [CORO_TYPE_STRUCT] = "struct",
                                         [CORO_TYPE_ARRAY] = "array",      [CORO_TYPE_VECTOR] = "vector",
                                         [CORO_TYPE_FUNCTION] = "function"};
  size_t i = 0;
  while (i < sizeof keywords / sizeof *keywords && strcmp(keywords[i], keyword))
    i++;
  return (coro_type_form)i;
}

PyObject *core_type_make(PyObject *module, PyObject *args)
{
  const char *kind;
  PyObject *tuple, *name;
  unsigned long long number;
  int flag;
  if (!PyArg_ParseTuple(args, "sO!KpO:type_make", &kind, &PyTuple_Type, &tuple, &number, &flag, &name))
    return NULL;
  coro_module *locked = core_module_acquire(core_state_of(module), module);
  struct made made = {.module = locked};
  LLVMTypeRef *parts = locked ? convert_element_types(module, locked, tuple, &made.wanted.count) : NULL;
  made.wanted = (coro_type_spec){type_form_of_keyword(kind), parts, made.wanted.count, number, flag, NULL};
  PyObject *done = !parts            ? NULL
                   : name == Py_None ? create_wanted_type(module, NULL, &made)
                                     : core_with_name(module, name, create_wanted_type, &made);
  PyMem_Free(parts);
  if (locked)
    core_module_release(module);
  Py_XDECREF(done);
  return done ? core_type_new(module, made.type) : NULL;
}

PyObject *core_type_read(PyObject *module, PyObject *text)
{
  if (!PyUnicode_Check(text))
    return PyErr_Format(PyExc_TypeError, "the text of a type must be a str, not %R", text);
  coro_module *locked = core_module_acquire(core_state_of(module), module);
  LLVMTypeRef type = locked ? core_type_of_object_or_text(module, locked, text, "") : NULL;
  if (locked)
    core_module_release(module);
  return type ? core_type_new(module, type) : NULL;
}
