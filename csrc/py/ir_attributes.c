/* Reads and sets attributes of functions, arguments, results and calls.
   Requires: the module locked, or a build site.
   Guarantees: a dict by name in LLVM's order, whose values are True, an int, a str or a Type; UsageError for text that
   is not an attribute. */
#include <stdio.h>
#include <string.h>

#include "ir.h"
#include "ir_building.h"
#include "ir_type.h"
#include "llvm-c/IRReader.h"

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

/* ---- Setting attributes ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ (),.:\"=<>%*[]{}+-/\\|~";

/* A declaration with a placeholder at the position of the attributes, by attribute index. */
static const char *declaration_pattern(int index)
{
  return index < 0 ? "declare void @f() %s\n" : index ? "declare void @f(ptr %s)\n" : "declare %s ptr @f()\n";
}

static LLVMModuleRef parse_attribute_declaration(struct build_site *site, const char *text, int index)
{
  char buffer[4096], *message = NULL;
  LLVMModuleRef module = NULL;
  int length = snprintf(buffer, sizeof buffer, declaration_pattern(index), text);
  if (text[strspn(text, letters)] || length >= (int)sizeof buffer)
    return NULL;
  LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(buffer, (size_t)length, "");
  if (LLVMParseIRInContext2(site->context, memory, &module, &message))
    module = NULL;
  LLVMDisposeMemoryBuffer(memory);
  LLVMDisposeMessage(message);
  return module;
}

struct target { /* what receives the attributes */
  LLVMValueRef value;
  bool call;
  unsigned index; /* LLVM's index: -1 for a function, 0 for its result, 1 for its first parameter */
};

static void set_attribute(const struct target *target, LLVMAttributeRef attribute)
{
  if (target->call)
    LLVMAddCallSiteAttribute(target->value, target->index, attribute);
  else
    LLVMAddAttributeAtIndex(target->value, target->index, attribute);
}

/* Whether the type in a type attribute exists in the module. The parser accepts any struct name as an opaque type. */
static bool has_no_opaque_struct_type(LLVMAttributeRef attribute)
{
  if (!LLVMIsTypeAttribute(attribute))
    return true;
  LLVMTypeRef type = LLVMGetTypeAttributeValue(attribute);
  return !type || LLVMGetTypeKind(type) != LLVMStructTypeKind || !LLVMIsOpaqueStruct(type);
}

/* Returns the number of attributes set, or -1 if one cannot be created. */
static int copy_attributes_from(LLVMModuleRef from, const struct target *target)
{
  LLVMAttributeRef found[64];
  LLVMValueRef function = LLVMGetFirstFunction(from);
  if (!function || LLVMGetNextFunction(function) || LLVMGetFirstGlobal(from))
    return -1;
  unsigned count =
      LLVMGetAttributeCountAtIndex(function, target->index > 1 && target->index != UINT32_MAX ? 1 : target->index);
  if (count > sizeof found / sizeof *found)
    return -1;
  LLVMGetAttributesAtIndex(function, target->index > 1 && target->index != UINT32_MAX ? 1 : target->index, found);
  for (unsigned i = 0; i < count; i++)
    if (!has_no_opaque_struct_type(found[i]))
      return -1;
  for (unsigned i = 0; i < count; i++)
    set_attribute(target, found[i]);
  return (int)count;
}

static bool find_attribute_target(struct build_site *site, LLVMValueRef value, int index, struct target *target)
{
  bool block = LLVMValueIsBasicBlock(value);
  bool call = !block && (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value));
  if (!call && (block || !LLVMIsAFunction(value)))
    return site_raise_usage_error(site, "only functions and calls have attributes");
  unsigned count = call ? LLVMGetNumArgOperands(value) : LLVMCountParams(value);
  if (index < -1 || index > (int)count)
    return site_raise_usage_error(site, "there are %u parameters; parameter %d does not exist", count, index - 1);
  *target = (struct target){value, call, (unsigned)index};
  return true;
}

static bool add_parsed_attribute(struct build_site *site, const struct target *target, int index, const char *text)
{
  LLVMModuleRef module = parse_attribute_declaration(site, text, index);
  int count = module ? copy_attributes_from(module, target) : -1;
  if (module)
    LLVMDisposeModule(module);
  return count > 0 ||
         site_raise_usage_error(
             site, "LLVM cannot parse the attribute \"%.120s\"; pass a named type as a Type: (\"byval\", type)", text);
}

static bool add_type_attribute(struct build_site *site, const struct target *target, const char *name, PyObject *wanted)
{
  static const char *const names[] = {"byval", "sret", "byref", "inalloca", "preallocated", "elementtype"};
  LLVMTypeRef type = site_type(site, wanted, "the type of an attribute");
  if (!type || !site_check_type_is_sized(site, type, "what an attribute is of"))
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name)) {
      set_attribute(target,
                    LLVMCreateTypeAttribute(site->context, LLVMGetEnumAttributeKindForName(name, strlen(name)), type));
      return true;
    }
  return site_raise_usage_error(site, "%.40s is not an attribute with a type", name);
}

bool ir_change_add_attribute(struct build_site *site, PyObject *args)
{
  PyObject *type;
  int index;
  struct target target;
  if (!site_parse(site, args, "iNO", &index, &type) || !find_attribute_target(site, site->target, index, &target))
    return false;
  return type == Py_None ? add_parsed_attribute(site, &target, index, site->name)
                         : add_type_attribute(site, &target, site->name, type);
}

bool ir_change_remove_attribute(struct build_site *site, PyObject *args)
{
  int index;
  struct target target;
  if (!site_parse(site, args, "iN", &index) || !find_attribute_target(site, site->target, index, &target))
    return false;
  unsigned length = (unsigned)strlen(site->name), kind = LLVMGetEnumAttributeKindForName(site->name, length);
  if (target.call && kind)
    LLVMRemoveCallSiteEnumAttribute(target.value, target.index, kind);
  else if (target.call)
    LLVMRemoveCallSiteStringAttribute(target.value, target.index, site->name, length);
  else if (kind)
    LLVMRemoveEnumAttributeAtIndex(target.value, target.index, kind);
  else
    LLVMRemoveStringAttributeAtIndex(target.value, target.index, site->name, length);
  return true;
}
