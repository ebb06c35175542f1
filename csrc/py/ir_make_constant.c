/* Builders of constants. Constants belong to the context, so the module is unchanged.
   Requires: ir_building.h. Checked here because LLVM-C does not: the type has such a constant, and elements are
   constants of the right types. */
#include "ir_building.h"

/* Whether the type has constants, among them zero. The nesting of types is finite. */
static bool has_zero_constant(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (!has_zero_constant(LLVMStructGetTypeAtIndex(type, i)))
        return false;
    return !LLVMIsOpaqueStruct(type);
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind: return has_zero_constant(LLVMGetElementType(type));
  case LLVMIntegerTypeKind:
  case LLVMPointerTypeKind: return true;
  default: return site_has_float_type(type);
  }
}

static void *reject_constant_of_type(struct build_site *site, LLVMTypeRef type)
{
  return site_raise_usage_error(site, "type %s does not have such a constant", site_text_of_type(site, type));
}

/* Parses the type. Zero and the others exist for plain types. */
static LLVMTypeRef parse_constant_type(struct build_site *site, PyObject *args, bool token_allowed)
{
  LLVMTypeRef type;
  if (!site_parse(site, args, "T", &type, "the type of a constant"))
    return NULL;
  bool fits = has_zero_constant(type) || (token_allowed && LLVMGetTypeKind(type) == LLVMTokenTypeKind);
  return fits ? type : reject_constant_of_type(site, type);
}

bool ir_change_zero(struct build_site *site, PyObject *args)
{
  LLVMTypeRef type = parse_constant_type(site, args, true);
  return type && (site->built = LLVMConstNull(type));
}

bool ir_change_poison(struct build_site *site, PyObject *args)
{
  LLVMTypeRef type = parse_constant_type(site, args, false);
  return type && (site->built = LLVMGetPoison(type));
}

bool ir_change_undefined(struct build_site *site, PyObject *args)
{
  LLVMTypeRef type = parse_constant_type(site, args, false);
  return type && (site->built = LLVMGetUndef(type));
}

/* Builds an integer from little-endian bytes, in 64-bit words. */
bool ir_change_integer(struct build_site *site, PyObject *args)
{
  LLVMTypeRef type;
  PyObject *from;
  if (!site_parse(site, args, "TO", &type, "the type of a constant", &from))
    return false;
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return reject_constant_of_type(site, type);
  size_t words = ((size_t)LLVMGetIntTypeWidth(type) + 63) / 64;
  if (!PyBytes_Check(from) || (size_t)PyBytes_Size(from) != 8 * words)
    return PyErr_Format(PyExc_TypeError, "expected the bytes of the number");
  const unsigned char *bytes = (const unsigned char *)PyBytes_AsString(from);
  uint64_t *numbers = PyMem_Calloc(words, sizeof *numbers);
  if (!numbers)
    return PyErr_NoMemory();
  for (size_t i = 0; i < 8 * words; i++)
    numbers[i / 8] |= (uint64_t)bytes[i] << i % 8 * 8;
  site->built = LLVMConstIntOfArbitraryPrecision(type, (unsigned)words, numbers);
  PyMem_Free(numbers);
  return true;
}

bool ir_change_real(struct build_site *site, PyObject *args)
{
  LLVMTypeRef type;
  PyObject *from;
  if (!site_parse(site, args, "TO", &type, "the type of a constant", &from))
    return false;
  if (site_scalar(type) != type || !site_has_float_type(type))
    return reject_constant_of_type(site, type);
  double number = PyFloat_AsDouble(from);
  return !PyErr_Occurred() && (site->built = LLVMConstReal(type, number));
}

static LLVMTypeRef element_type_at(LLVMTypeRef type, size_t index)
{
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, (unsigned)index)
                                                     : LLVMGetElementType(type);
}

/* The number of elements of an aggregate or vector type; false for other types. */
static bool read_element_count_of_type(LLVMTypeRef type, uint64_t *count)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind: *count = LLVMCountStructElementTypes(type); return !LLVMIsOpaqueStruct(type);
  case LLVMArrayTypeKind: *count = LLVMGetArrayLength2(type); return true;
  case LLVMVectorTypeKind: *count = LLVMGetVectorSize(type); return true;
  default: return false;
  }
}

static bool check_aggregate_elements(struct build_site *site, LLVMTypeRef type, const LLVMValueRef *values,
                                     size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (!LLVMIsConstant(values[i]))
      return site_raise_usage_error(site, "element %zu of a constant is not a constant", i);
    if (LLVMTypeOf(values[i]) != element_type_at(type, i))
      return site_raise_usage_error(site, "element %zu has type %s; it must have type %s", i,
                                    site_text_of_type(site, LLVMTypeOf(values[i])),
                                    site_text_of_type(site, element_type_at(type, i)));
  }
  return true;
}

bool ir_change_aggregate(struct build_site *site, PyObject *args)
{
  uint64_t wanted;
  LLVMTypeRef type;
  struct site_values *elements;
  if (!site_parse(site, args, "TL", &type, "the type of a constant", &elements, "the elements"))
    return false;
  LLVMValueRef *values = elements->items;
  size_t count = elements->count;
  if (!read_element_count_of_type(type, &wanted))
    return reject_constant_of_type(site, type);
  if (count != wanted)
    return site_raise_usage_error(site, "a constant of this type must have %llu elements, not %zu",
                                  (unsigned long long)wanted, count);
  if (!check_aggregate_elements(site, type, values, count))
    return false;
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind: site->built = LLVMConstNamedStruct(type, values, (unsigned)count); break;
  case LLVMArrayTypeKind: site->built = LLVMConstArray2(LLVMGetElementType(type), values, count); break;
  default: site->built = LLVMConstVector(values, (unsigned)count);
  }
  return true;
}

/* A byte array without terminator. */
bool ir_change_text_constant(struct build_site *site, PyObject *args)
{
  PyObject *from;
  if (!site_parse(site, args, "O", &from))
    return false;
  if (!PyBytes_Check(from))
    return PyErr_Format(PyExc_TypeError, "expected the bytes of the text");
  site->built = LLVMConstStringInContext2(site->context, PyBytes_AsString(from), (size_t)PyBytes_Size(from), true);
  return true;
}
