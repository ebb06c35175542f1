/* Reads attributes of functions, arguments and calls.
   Requires: the module locked.
   Guarantees: a dict by name in LLVM's order; values are True, an int, a str or a Type. */
#include "ir.h"
#include "ir_type.h"

static const struct keyword {
  const char *name;
  bool numbered;
} keywords[] = {
    {"", false}, /* LLVM's numbers start at 1 */
#define LLVM_ATTRIBUTE(name, numbered) {name, numbered},
#include "llvm_attributes.def"
};

static PyObject *string_attribute_value(LLVMAttributeRef attribute)
{
  unsigned length = 0;
  const char *text = LLVMGetStringAttributeValue(attribute, &length);
  return core_make_str_of_size(text, length);
}

/* The value of an enum attribute. Ranges, whose values LLVM-C does not expose, are True. */
static PyObject *enum_attribute_value(PyObject *module, LLVMAttributeRef attribute, unsigned number)
{
  if (LLVMIsTypeAttribute(attribute)) {
    LLVMTypeRef type = LLVMGetTypeAttributeValue(attribute);
    return type ? core_type_new(module, type) : Py_NewRef(Py_True);
  }
  return keywords[number].numbered ? PyLong_FromUnsignedLongLong(LLVMGetEnumAttributeValue(attribute))
                                   : Py_NewRef(Py_True);
}

/* -1 with an exception set. */
static int add_attribute_item(PyObject *dict, PyObject *module, LLVMAttributeRef attribute)
{
  unsigned length = 0;
  bool text = LLVMIsStringAttribute(attribute);
  unsigned number = text ? 0 : LLVMGetEnumAttributeKind(attribute);
  if (number >= sizeof keywords / sizeof *keywords) {
    PyErr_Format(PyExc_SystemError, "LLVM has an attribute %u that pycoro does not know", number);
    return -1;
  }
  const char *name = text ? LLVMGetStringAttributeKind(attribute, &length) : NULL;
  PyObject *key = text ? core_make_str_of_size(name, length) : core_make_str(keywords[number].name);
  PyObject *value = text ? string_attribute_value(attribute) : enum_attribute_value(module, attribute, number);
  int failed = key && value ? PyDict_SetItem(dict, key, value) : -1;
  Py_XDECREF(key);
  Py_XDECREF(value);
  return failed;
}

typedef unsigned counter(LLVMValueRef value, LLVMAttributeIndex index);
typedef void lister(LLVMValueRef value, LLVMAttributeIndex index, LLVMAttributeRef *attributes);

static PyObject *make_dict_of_attributes(PyObject *module, LLVMValueRef value, unsigned index, counter *count,
                                         lister *get)
{
  unsigned attributes = count(value, index);
  LLVMAttributeRef *all = PyMem_Calloc((size_t)attributes + 1, sizeof(LLVMAttributeRef));
  if (!all)
    return PyErr_NoMemory();
  get(value, index, all);
  PyObject *dict = PyDict_New();
  for (unsigned i = 0; dict && i < attributes; i++)
    if (add_attribute_item(dict, module, all[i]) < 0)
      Py_CLEAR(dict);
  PyMem_Free(all);
  return dict;
}

static PyObject *function_attributes(PyObject *module, LLVMValueRef function, unsigned index)
{
  return make_dict_of_attributes(module, function, index, LLVMGetAttributeCountAtIndex, LLVMGetAttributesAtIndex);
}

static PyObject *call_site_attributes(PyObject *module, LLVMValueRef call, unsigned index)
{
  return make_dict_of_attributes(module, call, index, LLVMGetCallSiteAttributeCount, LLVMGetCallSiteAttributes);
}

/* The attributes of a function or call at an index; None for other instructions. */
static PyObject *attributes_at_index(const struct value_object *self, unsigned index)
{
  if (self->kind == IR_FUNCTION)
    return function_attributes(self->module, self->value, index);
  return ir_is_call(self->value) ? call_site_attributes(self->module, self->value, index) : Py_NewRef(Py_None);
}

PyObject *ir_get_attributes(struct value_object *self)
{
  return attributes_at_index(self, (unsigned)LLVMAttributeFunctionIndex);
}

PyObject *ir_get_result_attributes(struct value_object *self)
{
  return attributes_at_index(self, LLVMAttributeReturnIndex);
}

PyObject *ir_get_argument_attributes(struct value_object *self)
{
  LLVMValueRef function = LLVMGetParamParent(self->value);
  unsigned index = 1;
  for (LLVMValueRef a = LLVMGetPreviousParam(self->value); a; a = LLVMGetPreviousParam(a))
    index++;
  return function_attributes(self->module, function, index);
}

static PyObject *argument_attributes_item(const void *call, size_t index)
{
  const struct value_object *self = call;
  return call_site_attributes(self->module, self->value, (unsigned)index + 1);
}

PyObject *ir_get_call_attributes(struct value_object *self)
{
  unsigned count = ir_is_call(self->value) ? LLVMGetNumArgOperands(self->value) : 0;
  return core_make_tuple(count, argument_attributes_item, self);
}
