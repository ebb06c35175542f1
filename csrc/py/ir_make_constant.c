/* Builders of constants. Constants belong to the context, so the module is unchanged.
   Requires: ir_building.h. Checked here because LLVM-C does not: the type has such a constant, and elements are
   constants of the right types. */
#include "ir_building.h"

/* Whether the type has constants, among them zero. The nesting of types is finite. */
static bool is_plain(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (!is_plain(LLVMStructGetTypeAtIndex(type, i)))
        return false;
    return !LLVMIsOpaqueStruct(type);
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind: return is_plain(LLVMGetElementType(type));
  case LLVMIntegerTypeKind:
  case LLVMPointerTypeKind: return true;
  default: return site_is_float(type);
  }
}

typedef LLVMValueRef maker(struct build_site *site, LLVMTypeRef type, PyObject *from);

static PyObject *make_constant(PyObject *core, PyObject *args, maker *made)
{
  PyObject *module, *wanted, *from = NULL;
  struct build_site site;
  if (!PyArg_ParseTuple(args, "OO|O", &module, &wanted, &from) || !site_enter_module(core, module, &site))
    return NULL;
  site.unchanged = true;
  LLVMTypeRef type = site_type(&site, wanted, "the type of a constant");
  LLVMValueRef value = type ? made(&site, type, from) : NULL;
  return site_exit(&site, value, !value);
}

static LLVMValueRef reject_constant_of_type(struct build_site *site, LLVMTypeRef type)
{
  struct site_text text;
  return site_raise(site, "type %s does not have such a constant", site_type_text(site, type, &text));
}

static LLVMValueRef zero_constant(struct build_site *site, LLVMTypeRef type, PyObject *from)
{
  (void)from;
  bool token = LLVMGetTypeKind(type) == LLVMTokenTypeKind;
  return token || is_plain(type) ? LLVMConstNull(type) : reject_constant_of_type(site, type);
}

static LLVMValueRef poison_constant(struct build_site *site, LLVMTypeRef type, PyObject *from)
{
  (void)from;
  return is_plain(type) ? LLVMGetPoison(type) : reject_constant_of_type(site, type);
}

static LLVMValueRef undef_constant(struct build_site *site, LLVMTypeRef type, PyObject *from)
{
  (void)from;
  return is_plain(type) ? LLVMGetUndef(type) : reject_constant_of_type(site, type);
}

/* Builds an integer from little-endian bytes, in 64-bit words. */
static LLVMValueRef integer_constant(struct build_site *site, LLVMTypeRef type, PyObject *from)
{
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return reject_constant_of_type(site, type);
  size_t words = ((size_t)LLVMGetIntTypeWidth(type) + 63) / 64;
  if (!from || !PyBytes_Check(from) || (size_t)PyBytes_Size(from) != 8 * words)
    return (void *)PyErr_Format(PyExc_TypeError, "expected the bytes of the number");
  const unsigned char *bytes = (const unsigned char *)PyBytes_AsString(from);
  uint64_t *numbers = PyMem_Calloc(words, sizeof *numbers);
  if (!numbers)
    return (void *)PyErr_NoMemory();
  for (size_t i = 0; i < 8 * words; i++)
    numbers[i / 8] |= (uint64_t)bytes[i] << i % 8 * 8;
  LLVMValueRef value = LLVMConstIntOfArbitraryPrecision(type, (unsigned)words, numbers);
  PyMem_Free(numbers);
  return value;
}

static LLVMValueRef float_constant(struct build_site *site, LLVMTypeRef type, PyObject *from)
{
  if (site_scalar(type) != type || !site_is_float(type))
    return reject_constant_of_type(site, type);
  double number = from ? PyFloat_AsDouble(from) : 0;
  return PyErr_Occurred() ? NULL : LLVMConstReal(type, number);
}

static LLVMTypeRef element_type_at(LLVMTypeRef type, size_t index)
{
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, (unsigned)index)
                                                     : LLVMGetElementType(type);
}

/* The number of elements of an aggregate or vector type; false for other types. */
static bool element_count_of_type(LLVMTypeRef type, uint64_t *count)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind: *count = LLVMCountStructElementTypes(type); return !LLVMIsOpaqueStruct(type);
  case LLVMArrayTypeKind: *count = LLVMGetArrayLength2(type); return true;
  case LLVMVectorTypeKind: *count = LLVMGetVectorSize(type); return true;
  default: return false;
  }
}

static bool check_elements(struct build_site *site, LLVMTypeRef type, const LLVMValueRef *values, size_t count)
{
  struct site_text is, wanted;
  for (size_t i = 0; i < count; i++) {
    if (!LLVMIsConstant(values[i]))
      return site_raise(site, "element %zu of a constant is not a constant", i);
    if (LLVMTypeOf(values[i]) != element_type_at(type, i))
      return site_raise(site, "element %zu has type %s; it must have type %s", i,
                        site_type_text(site, LLVMTypeOf(values[i]), &is),
                        site_type_text(site, element_type_at(type, i), &wanted));
  }
  return true;
}

static LLVMValueRef aggregate_constant(struct build_site *site, LLVMTypeRef type, PyObject *from)
{
  size_t count;
  uint64_t wanted;
  LLVMValueRef *values = from ? site_operands(site, from, &count, "the elements") : NULL, value = NULL;
  if (!values)
    return PyErr_Occurred() ? NULL : reject_constant_of_type(site, type);
  if (!element_count_of_type(type, &wanted))
    reject_constant_of_type(site, type);
  else if (count != wanted)
    site_raise(site, "a constant of this type must have %llu elements, not %zu", (unsigned long long)wanted, count);
  else if (check_elements(site, type, values, count))
    value = LLVMGetTypeKind(type) == LLVMStructTypeKind  ? LLVMConstNamedStruct(type, values, (unsigned)count)
            : LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMConstArray2(LLVMGetElementType(type), values, count)
                                                         : LLVMConstVector(values, (unsigned)count);
  PyMem_Free(values);
  return value;
}

/* A byte array without terminator. */
static PyObject *byte_array_constant(PyObject *core, PyObject *args)
{
  PyObject *module;
  const char *bytes;
  Py_ssize_t size;
  struct build_site site;
  if (!PyArg_ParseTuple(args, "Oy#", &module, &bytes, &size) || !site_enter_module(core, module, &site))
    return NULL;
  site.unchanged = true;
  return site_exit(&site, LLVMConstStringInContext2(site.context, bytes, (size_t)size, true), false);
}

#define CONSTANT(name)                                                                                                 \
  static PyObject *make_##name(PyObject *core, PyObject *args)                                                         \
  {                                                                                                                    \
    return make_constant(core, args, name);                                                                            \
  }
CONSTANT(zero_constant)
CONSTANT(poison_constant)
CONSTANT(undef_constant)
CONSTANT(integer_constant)
CONSTANT(float_constant)
CONSTANT(aggregate_constant)

PyMethodDef core_ir_constant_methods[] = {
    {"ir_zero", make_zero_constant, METH_VARARGS, PyDoc_STR("ir_zero(module, type)")},
    {"ir_poison", make_poison_constant, METH_VARARGS, PyDoc_STR("ir_poison(module, type)")},
    {"ir_undefined", make_undef_constant, METH_VARARGS, PyDoc_STR("ir_undefined(module, type)")},
    {"ir_integer", make_integer_constant, METH_VARARGS, PyDoc_STR("ir_integer(module, type, bytes)")},
    {"ir_real", make_float_constant, METH_VARARGS, PyDoc_STR("ir_real(module, type, number)")},
    {"ir_aggregate", make_aggregate_constant, METH_VARARGS, PyDoc_STR("ir_aggregate(module, type, elements)")},
    {"ir_text_constant", byte_array_constant, METH_VARARGS, PyDoc_STR("ir_text_constant(module, bytes)")},
    {NULL, NULL, 0, NULL},
};
