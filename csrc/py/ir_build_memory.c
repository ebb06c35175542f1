/* Builders of memory accesses, and of accesses to elements of aggregates and vectors.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: types are sized, pointers are pointers,
   indices are in range, alignments are powers of two. */
#include "ir_building.h"

LLVMValueRef ir_build_alloca(struct build_site *site, PyObject *args)
{
  PyObject *number;
  uint64_t align;
  LLVMTypeRef type;
  if (!site_parse(site, args, "TOA", &type, "the type of a variable", &number, &align) ||
      !site_check_type_is_sized(site, type, "a variable"))
    return NULL;
  LLVMValueRef count = number == Py_None ? NULL : site_operand(site, number, "the count");
  if (PyErr_Occurred())
    return NULL;
  if (count && LLVMGetTypeKind(LLVMTypeOf(count)) != LLVMIntegerTypeKind)
    return site_raise_usage_error(site, "the element count of an alloca must be an integer, not of type %s",
                                  site_text_of_type(site, LLVMTypeOf(count)));
  LLVMValueRef built = count ? LLVMBuildArrayAlloca(site->builder, type, count, site->name)
                             : LLVMBuildAlloca(site->builder, type, site->name);
  if (align)
    LLVMSetAlignment(built, (unsigned)align);
  return built;
}

/* AMX tiles are sized, but only their own intrinsics load and store them. */
static bool check_type_is_loadable(struct build_site *site, LLVMTypeRef type, const char *what)
{
  if (LLVMGetTypeKind(type) == LLVMX86_AMXTypeKind)
    return site_raise_usage_error(site, "%s has type x86_amx; use the intrinsics that load and store it", what);
  return site_check_type_is_sized(site, type, what);
}

LLVMValueRef ir_build_load(struct build_site *site, PyObject *args)
{
  uint64_t align;
  int is_volatile;
  LLVMTypeRef type;
  LLVMValueRef pointer;
  if (!site_parse(site, args, "TPAp", &type, "the type of the loaded value", &pointer, &align, &is_volatile) ||
      !check_type_is_loadable(site, type, "the loaded value"))
    return NULL;
  LLVMValueRef built = LLVMBuildLoad2(site->builder, type, pointer, site->name);
  site_set_alignment_and_volatility(built, align, is_volatile);
  return built;
}

LLVMValueRef ir_build_store(struct build_site *site, PyObject *args)
{
  uint64_t align;
  int is_volatile;
  LLVMValueRef value, pointer;
  if (!site_parse(site, args, "VPAp", &value, "the stored value", &pointer, &align, &is_volatile) ||
      !check_type_is_loadable(site, LLVMTypeOf(value), "the stored value"))
    return NULL;
  LLVMValueRef built = LLVMBuildStore(site->builder, value, pointer);
  site_set_alignment_and_volatility(built, align, is_volatile);
  return built;
}

/* ---- Addresses ---- */

/* The element type selected by one index of a gep. */
static LLVMTypeRef type_selected_by_gep_index(struct build_site *site, LLVMTypeRef type, LLVMValueRef index)
{
  unsigned long long number = LLVMIsAConstantInt(index) ? LLVMConstIntGetZExtValue(index) : 0;
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
    if (!LLVMIsAConstantInt(index) || LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 32)
      return site_raise_usage_error(site, "the index of a struct element must be a constant of type i32");
    if (number >= LLVMCountStructElementTypes(type))
      return site_raise_usage_error(site, "%s has no element %llu", site_text_of_type(site, type), number);
    return LLVMStructGetTypeAtIndex(type, (unsigned)number);
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind: return LLVMGetElementType(type);
  default:
    return site_raise_usage_error(site, "%s has no elements that an index can select", site_text_of_type(site, type));
  }
}

/* Merges the vector length of a gep operand into `shape`; all vector operands must agree. */
static bool merge_vector_shape(struct build_site *site, LLVMTypeRef type, LLVMTypeRef *shape)
{
  if (site_scalar(type) == type)
    return true;
  if (*shape && !site_have_same_vector_length(*shape, type))
    return site_raise_usage_error(site, "the vectors of a getelementptr must have one length; %s and %s differ",
                                  site_text_of_type(site, *shape), site_text_of_type(site, type));
  *shape = type;
  return true;
}

static bool check_gep_indices(struct build_site *site, LLVMTypeRef type, const struct site_values *indices,
                              LLVMTypeRef *shape)
{
  if (!indices->count)
    return site_raise_usage_error(site, "a getelementptr needs at least one index");
  for (size_t i = 0; i < indices->count; i++) {
    LLVMTypeRef index = site_scalar(LLVMTypeOf(indices->items[i]));
    if (LLVMGetTypeKind(index) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(index) > 64)
      return site_raise_usage_error(site, "an index must be an integer of at most 64 bits, not of type %s",
                                    site_text_of_type(site, index));
    if (!merge_vector_shape(site, LLVMTypeOf(indices->items[i]), shape))
      return false;
    if (i && !(type = type_selected_by_gep_index(site, type, indices->items[i])))
      return false;
  }
  return true;
}

LLVMValueRef ir_build_gep(struct build_site *site, PyObject *args)
{
  PyObject *object;
  unsigned flags;
  LLVMTypeRef type, shape = NULL;
  struct site_values *indices;
  if (!site_parse(site, args, "TOLI", &type, "the source element type", &object, &indices, "the indices", &flags))
    return NULL;
  LLVMValueRef pointer = site_pointers(site, object);
  if (!pointer || !site_check_type_is_sized(site, type, "the indexed aggregate") ||
      !merge_vector_shape(site, LLVMTypeOf(pointer), &shape) || !check_gep_indices(site, type, indices, &shape) ||
      !site_check_constants_are_small_to_fold(site, &pointer, 1, shape ? shape : LLVMTypeOf(pointer)) ||
      !site_check_constants_are_small_to_fold(site, indices->items, indices->count,
                                              shape ? shape : LLVMTypeOf(pointer)))
    return NULL;
  return LLVMBuildGEPWithNoWrapFlags(site->builder, type, pointer, indices->items, (unsigned)indices->count, site->name,
                                     flags & 7);
}

/* ---- Aggregates ---- */

/* Converts a tuple to an array of numbers, freed by PyMem_Free. NULL with an exception set. */
static unsigned *indices_from_tuple(struct build_site *site, PyObject *tuple, size_t *count)
{
  if (!PyTuple_Check(tuple))
    return (void *)PyErr_Format(PyExc_TypeError, "indices must be a tuple of ints, not %R", tuple);
  *count = (size_t)PyTuple_Size(tuple);
  if (!*count)
    return site_raise_usage_error(site, "an element of an aggregate needs at least one index");
  unsigned *numbers = PyMem_Malloc(*count * sizeof *numbers);
  if (!numbers)
    return (void *)PyErr_NoMemory();
  for (size_t i = 0; i < *count; i++) {
    unsigned long number = PyLong_AsUnsignedLong(PyTuple_GetItem(tuple, (Py_ssize_t)i));
    if (PyErr_Occurred() || number > UINT32_MAX) {
      PyMem_Free(numbers);
      if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        return site_raise_usage_error(site, "an index of an aggregate must be from 0 to 4294967295");
      }
      return NULL;
    }
    numbers[i] = (unsigned)number;
  }
  return numbers;
}

/* The type of the member selected by the indices. */
static LLVMTypeRef type_of_nested_member(struct build_site *site, LLVMTypeRef type, const unsigned *indices,
                                         size_t count)
{
  for (size_t i = 0; i < count; i++) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind)
      return site_raise_usage_error(site, "%s is not an aggregate", site_text_of_type(site, type));
    uint64_t there = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : LLVMGetArrayLength2(type);
    if (indices[i] >= there)
      return site_raise_usage_error(site, "%s has no element %u", site_text_of_type(site, type), indices[i]);
    type = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, indices[i]) : LLVMGetElementType(type);
  }
  return type;
}

/* LLVM-C's extractvalue and insertvalue take one index; a nested member needs one instruction per level. */
static LLVMValueRef build_nested_extractvalue(struct build_site *site, LLVMValueRef value, const unsigned *indices,
                                              size_t count)
{
  for (size_t i = 0; i < count; i++)
    value = LLVMBuildExtractValue(site->builder, value, indices[i], i + 1 == count ? site->name : "");
  return value;
}

static LLVMValueRef build_nested_insertvalue(struct build_site *site, LLVMValueRef aggregate, LLVMValueRef value,
                                             const unsigned *indices, size_t count)
{
  for (size_t depth = count; depth--;) {
    LLVMValueRef around = aggregate;
    for (size_t i = 0; i < depth; i++)
      around = LLVMBuildExtractValue(site->builder, around, indices[i], "");
    value = LLVMBuildInsertValue(site->builder, around, value, indices[depth], depth ? "" : site->name);
  }
  return value;
}

LLVMValueRef ir_build_extract_value(struct build_site *site, PyObject *args)
{
  PyObject *tuple;
  size_t count;
  LLVMValueRef aggregate, built = NULL;
  if (!site_parse(site, args, "VO", &aggregate, "the aggregate", &tuple))
    return NULL;
  unsigned *indices = indices_from_tuple(site, tuple, &count);
  if (indices && type_of_nested_member(site, LLVMTypeOf(aggregate), indices, count))
    built = build_nested_extractvalue(site, aggregate, indices, count);
  PyMem_Free(indices);
  return built;
}

/* Whether LLVM may fold the insertion: each enclosing constant aggregate is recreated. */
static bool check_insertion_is_small_to_fold(struct build_site *site, LLVMValueRef aggregate, const unsigned *indices,
                                             size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!site_check_constants_are_small_to_fold(site, &aggregate, 1,
                                                type_of_nested_member(site, LLVMTypeOf(aggregate), indices, i)))
      return false;
  return true;
}

LLVMValueRef ir_build_insert_value(struct build_site *site, PyObject *args)
{
  PyObject *tuple;
  size_t count;
  LLVMValueRef aggregate, value, built = NULL;
  if (!site_parse(site, args, "VVO", &aggregate, "the aggregate", &value, "the inserted value", &tuple))
    return NULL;
  unsigned *indices = indices_from_tuple(site, tuple, &count);
  LLVMTypeRef member = indices ? type_of_nested_member(site, LLVMTypeOf(aggregate), indices, count) : NULL;
  if (member && member != LLVMTypeOf(value))
    site_raise_usage_error(site, "the element has type %s, but the inserted value has type %s",
                           site_text_of_type(site, member), site_text_of_type(site, LLVMTypeOf(value)));
  else if (member && site_check_constants_are_small_to_fold(site, &value, 1, LLVMTypeOf(value)) &&
           check_insertion_is_small_to_fold(site, aggregate, indices, count))
    built = build_nested_insertvalue(site, aggregate, value, indices, count);
  PyMem_Free(indices);
  return built;
}

/* ---- Vectors ---- */

static bool check_vector_operand(struct build_site *site, LLVMValueRef vector, const char *what)
{
  return site_scalar(LLVMTypeOf(vector)) != LLVMTypeOf(vector) ||
         site_raise_usage_error(site, "%s must be a vector, not of type %s", what,
                                site_text_of_type(site, LLVMTypeOf(vector)));
}

static bool check_vector_index(struct build_site *site, LLVMValueRef index)
{
  return (LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(index)) <= 64) ||
         site_raise_usage_error(site, "an index must be an integer of at most 64 bits");
}

LLVMValueRef ir_build_extract_element(struct build_site *site, PyObject *args)
{
  LLVMValueRef vector, index;
  if (!site_parse(site, args, "VV", &vector, "the operand of extractelement", &index, "the index") ||
      !check_vector_operand(site, vector, "the operand of extractelement") || !check_vector_index(site, index) ||
      !site_check_constants_are_small_to_fold(site, &vector, 1, LLVMTypeOf(vector)))
    return NULL;
  return LLVMBuildExtractElement(site->builder, vector, index, site->name);
}

LLVMValueRef ir_build_insert_element(struct build_site *site, PyObject *args)
{
  PyObject *part;
  LLVMValueRef vector, index;
  if (!site_parse(site, args, "VOV", &vector, "the operand of insertelement", &part, &index, "the index") ||
      !check_vector_operand(site, vector, "the operand of insertelement") || !check_vector_index(site, index))
    return NULL;
  LLVMValueRef value = site_operand_of(site, part, site_scalar(LLVMTypeOf(vector)), "the element");
  if (!value || !site_check_constants_are_small_to_fold(site, (LLVMValueRef[]){vector, value}, 2, LLVMTypeOf(vector)))
    return NULL;
  return LLVMBuildInsertElement(site->builder, vector, value, index, site->name);
}

/* Builds a shuffle mask from indices into both vectors, concatenated; -1: poison. */
static LLVMValueRef build_shuffle_mask(struct build_site *site, PyObject *tuple, unsigned element_count)
{
  if (!PyTuple_Check(tuple))
    return (void *)PyErr_Format(PyExc_TypeError, "a mask must be a tuple of ints, not %R", tuple);
  size_t count = (size_t)PyTuple_Size(tuple);
  LLVMTypeRef number = LLVMInt32TypeInContext(site->context);
  if (!count || count > 65536)
    return site_raise_usage_error(site, "a mask must have 1 to 65536 elements");
  LLVMValueRef *items = PyMem_Malloc(count * sizeof *items), mask = NULL;
  for (size_t i = 0; items && i < count; i++) {
    long at = PyLong_AsLong(PyTuple_GetItem(tuple, (Py_ssize_t)i));
    if (at < -1 || at >= (long)element_count || PyErr_Occurred()) {
      if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        site_raise_usage_error(site, "elements of a mask must be from 0 to %u, or -1 for poison", element_count - 1);
      }
      PyMem_Free(items);
      return NULL;
    }
    items[i] = at < 0 ? LLVMGetPoison(number) : LLVMConstInt(number, (unsigned long long)at, false);
  }
  if (items)
    mask = LLVMConstVector(items, (unsigned)count);
  PyMem_Free(items);
  return items ? mask : (void *)PyErr_NoMemory();
}

LLVMValueRef ir_build_shuffle(struct build_site *site, PyObject *args)
{
  PyObject *tuple;
  LLVMValueRef a, b;
  if (!site_parse(site, args, "V=O", &a, "the first vector", &b, "the second vector", &tuple) ||
      !check_vector_operand(site, a, "the first vector"))
    return NULL;
  unsigned length = LLVMGetVectorSize(LLVMTypeOf(a));
  if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMVectorTypeKind || length > 65536)
    return site_raise_usage_error(site, "shufflevector is limited to fixed vectors of at most 65536 elements");
  LLVMValueRef mask = build_shuffle_mask(site, tuple, 2 * length);
  if (!mask || !site_check_constants_are_small_to_fold(site, (LLVMValueRef[]){a, b}, 2, LLVMTypeOf(a)))
    return NULL;
  return LLVMBuildShuffleVector(site->builder, a, b, mask, site->name);
}
