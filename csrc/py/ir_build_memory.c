/* Builders of memory accesses, and of accesses to elements of aggregates and vectors.
   Requires: a place.
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: types are sized, pointers are pointers,
   indices
   are in range, alignments are powers of two. */
#include "ir_build.h"

LLVMValueRef ir_build_alloca(struct place *place, PyObject *args)
{
  PyObject *given, *wanted, *number;
  unsigned long long align;
  struct place_text text;
  if (!PyArg_ParseTuple(args, "OOOK:alloca", &given, &wanted, &number, &align))
    return NULL;
  LLVMTypeRef type = place_type(place, wanted, "the type of a variable");
  if (!type || !place_sized(place, type, "a variable") || !place_align(place, align))
    return NULL;
  LLVMValueRef count = number == Py_None ? NULL : place_operand(place, number, "the count");
  if (PyErr_Occurred())
    return NULL;
  if (count && LLVMGetTypeKind(LLVMTypeOf(count)) != LLVMIntegerTypeKind)
    return place_refuse(place, "the element count of an alloca must be an integer, not of type %s",
                        place_type_text(place, LLVMTypeOf(count), &text));
  LLVMValueRef built = count ? LLVMBuildArrayAlloca(place->builder, type, count, place->name)
                             : LLVMBuildAlloca(place->builder, type, place->name);
  if (align)
    LLVMSetAlignment(built, (unsigned)align);
  return built;
}

static LLVMValueRef pointers_of(struct place *place, PyObject *object)
{
  struct place_text text;
  LLVMValueRef pointer = place_operand(place, object, "the pointer");
  if (pointer && place_scalar_kind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
    return place_refuse(place, "expected a pointer or a vector of pointers, not a value of type %s",
                        place_type_text(place, LLVMTypeOf(pointer), &text));
  return pointer;
}

/* AMX tiles are sized, but only their own intrinsics load and store them. */
static bool check_loadable(struct place *place, LLVMTypeRef type, const char *what)
{
  if (LLVMGetTypeKind(type) == LLVMX86_AMXTypeKind)
    return place_refuse(place, "%s has type x86_amx; use the intrinsics that load and store it", what);
  return place_sized(place, type, what);
}

LLVMValueRef ir_build_load(struct place *place, PyObject *args)
{
  PyObject *given, *wanted, *object;
  unsigned long long align;
  int is_volatile;
  if (!PyArg_ParseTuple(args, "OOOKp:load", &given, &wanted, &object, &align, &is_volatile))
    return NULL;
  LLVMTypeRef type = place_type(place, wanted, "the type of the loaded value");
  LLVMValueRef pointer = type ? place_pointer(place, object) : NULL;
  if (!pointer || !check_loadable(place, type, "the loaded value") || !place_align(place, align))
    return NULL;
  LLVMValueRef built = LLVMBuildLoad2(place->builder, type, pointer, place->name);
  place_memory(built, align, is_volatile);
  return built;
}

LLVMValueRef ir_build_store(struct place *place, PyObject *args)
{
  PyObject *given, *object, *where;
  unsigned long long align;
  int is_volatile;
  if (!PyArg_ParseTuple(args, "OOOKp:store", &given, &object, &where, &align, &is_volatile))
    return NULL;
  LLVMValueRef value = place_operand(place, object, "the stored value");
  LLVMValueRef pointer = value ? place_pointer(place, where) : NULL;
  if (!pointer || !check_loadable(place, LLVMTypeOf(value), "the stored value") || !place_align(place, align))
    return NULL;
  LLVMValueRef built = LLVMBuildStore(place->builder, value, pointer);
  place_memory(built, align, is_volatile);
  return built;
}

/* ---- Addresses ---- */

/* The element type selected by one index of a gep. */
static LLVMTypeRef indexed_type(struct place *place, LLVMTypeRef type, LLVMValueRef index)
{
  struct place_text text;
  unsigned long long number = LLVMIsAConstantInt(index) ? LLVMConstIntGetZExtValue(index) : 0;
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
    if (!LLVMIsAConstantInt(index) || LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 32)
      return place_refuse(place, "the index of a struct element must be a constant of type i32");
    if (number >= LLVMCountStructElementTypes(type))
      return place_refuse(place, "%s has no element %llu", place_type_text(place, type, &text), number);
    return LLVMStructGetTypeAtIndex(type, (unsigned)number);
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind: return LLVMGetElementType(type);
  default:
    return place_refuse(place, "%s has no elements that an index can select", place_type_text(place, type, &text));
  }
}

/* Merges the vector length of a gep operand into `shape`; all vector operands must agree. */
static bool take_shape(struct place *place, LLVMTypeRef type, LLVMTypeRef *shape)
{
  struct place_text one, other;
  if (place_scalar(type) == type)
    return true;
  if (*shape && !place_same_shape(*shape, type))
    return place_refuse(place, "the vectors of a getelementptr must have one length; %s and %s differ",
                        place_type_text(place, *shape, &one), place_type_text(place, type, &other));
  *shape = type;
  return true;
}

static bool check_indices(struct place *place, LLVMTypeRef type, const LLVMValueRef *indices, size_t count,
                          LLVMTypeRef *shape)
{
  struct place_text text;
  if (!count)
    return place_refuse(place, "a getelementptr needs at least one index");
  for (size_t i = 0; i < count; i++) {
    LLVMTypeRef index = place_scalar(LLVMTypeOf(indices[i]));
    if (LLVMGetTypeKind(index) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(index) > 64)
      return place_refuse(place, "an index must be an integer of at most 64 bits, not of type %s",
                          place_type_text(place, index, &text));
    if (!take_shape(place, LLVMTypeOf(indices[i]), shape))
      return false;
    if (i && !(type = indexed_type(place, type, indices[i])))
      return false;
  }
  return true;
}

LLVMValueRef ir_build_gep(struct place *place, PyObject *args)
{
  PyObject *given, *wanted, *object, *list;
  unsigned flags;
  size_t count;
  if (!PyArg_ParseTuple(args, "OOOOI:gep", &given, &wanted, &object, &list, &flags))
    return NULL;
  LLVMTypeRef type = place_type(place, wanted, "the source element type");
  LLVMValueRef pointer = type ? pointers_of(place, object) : NULL;
  LLVMValueRef *indices = pointer ? place_operands(place, list, &count, "the indices") : NULL;
  LLVMValueRef built = NULL;
  LLVMTypeRef shape = NULL;
  if (indices && place_sized(place, type, "the indexed aggregate") && take_shape(place, LLVMTypeOf(pointer), &shape) &&
      check_indices(place, type, indices, count, &shape) &&
      place_folds(place, &pointer, 1, shape ? shape : LLVMTypeOf(pointer)) &&
      place_folds(place, indices, count, shape ? shape : LLVMTypeOf(pointer)))
    built =
        LLVMBuildGEPWithNoWrapFlags(place->builder, type, pointer, indices, (unsigned)count, place->name, flags & 7);
  PyMem_Free(indices);
  return built;
}

/* ---- Aggregates ---- */

/* Converts a tuple to an array of numbers, freed by PyMem_Free. NULL with an exception set. */
static unsigned *numbers_of(struct place *place, PyObject *tuple, size_t *count)
{
  if (!PyTuple_Check(tuple))
    return (void *)PyErr_Format(PyExc_TypeError, "indices must be a tuple of ints, not %R", tuple);
  *count = (size_t)PyTuple_Size(tuple);
  if (!*count)
    return place_refuse(place, "an element of an aggregate needs at least one index");
  unsigned *numbers = PyMem_Malloc(*count * sizeof *numbers);
  if (!numbers)
    return (void *)PyErr_NoMemory();
  for (size_t i = 0; i < *count; i++) {
    unsigned long number = PyLong_AsUnsignedLong(PyTuple_GetItem(tuple, (Py_ssize_t)i));
    if (PyErr_Occurred() || number > UINT32_MAX) {
      PyMem_Free(numbers);
      if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        return place_refuse(place, "an index of an aggregate must be from 0 to 4294967295");
      }
      return NULL;
    }
    numbers[i] = (unsigned)number;
  }
  return numbers;
}

/* The type of the member selected by the indices. */
static LLVMTypeRef member_of(struct place *place, LLVMTypeRef type, const unsigned *indices, size_t count)
{
  struct place_text text;
  for (size_t i = 0; i < count; i++) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind)
      return place_refuse(place, "%s is not an aggregate", place_type_text(place, type, &text));
    uint64_t there = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : LLVMGetArrayLength2(type);
    if (indices[i] >= there)
      return place_refuse(place, "%s has no element %u", place_type_text(place, type, &text), indices[i]);
    type = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, indices[i]) : LLVMGetElementType(type);
  }
  return type;
}

/* LLVM-C's extractvalue and insertvalue take one index; a nested member needs one instruction per level. */
static LLVMValueRef extract_nested(struct place *place, LLVMValueRef value, const unsigned *indices, size_t count)
{
  for (size_t i = 0; i < count; i++)
    value = LLVMBuildExtractValue(place->builder, value, indices[i], i + 1 == count ? place->name : "");
  return value;
}

static LLVMValueRef insert_nested(struct place *place, LLVMValueRef aggregate, LLVMValueRef value,
                                  const unsigned *indices, size_t count)
{
  for (size_t depth = count; depth--;) {
    LLVMValueRef around = aggregate;
    for (size_t i = 0; i < depth; i++)
      around = LLVMBuildExtractValue(place->builder, around, indices[i], "");
    value = LLVMBuildInsertValue(place->builder, around, value, indices[depth], depth ? "" : place->name);
  }
  return value;
}

LLVMValueRef ir_build_extract_value(struct place *place, PyObject *args)
{
  PyObject *given, *object, *tuple;
  size_t count;
  if (!PyArg_ParseTuple(args, "OOO:extract_value", &given, &object, &tuple))
    return NULL;
  LLVMValueRef aggregate = place_operand(place, object, "the aggregate"), built = NULL;
  unsigned *indices = aggregate ? numbers_of(place, tuple, &count) : NULL;
  if (indices && member_of(place, LLVMTypeOf(aggregate), indices, count))
    built = extract_nested(place, aggregate, indices, count);
  PyMem_Free(indices);
  return built;
}

/* Whether LLVM may fold the insertion: each enclosing constant aggregate is recreated. */
static bool members_fold(struct place *place, LLVMValueRef aggregate, const unsigned *indices, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!place_folds(place, &aggregate, 1, member_of(place, LLVMTypeOf(aggregate), indices, i)))
      return false;
  return true;
}

LLVMValueRef ir_build_insert_value(struct place *place, PyObject *args)
{
  PyObject *given, *object, *part, *tuple;
  size_t count;
  struct place_text is, wanted;
  if (!PyArg_ParseTuple(args, "OOOO:insert_value", &given, &object, &part, &tuple))
    return NULL;
  LLVMValueRef aggregate = place_operand(place, object, "the aggregate"), built = NULL;
  LLVMValueRef value = aggregate ? place_operand(place, part, "the inserted value") : NULL;
  unsigned *indices = value ? numbers_of(place, tuple, &count) : NULL;
  LLVMTypeRef member = indices ? member_of(place, LLVMTypeOf(aggregate), indices, count) : NULL;
  if (member && member != LLVMTypeOf(value))
    place_refuse(place, "the element has type %s, but the inserted value has type %s",
                 place_type_text(place, member, &wanted), place_type_text(place, LLVMTypeOf(value), &is));
  else if (member && place_folds(place, &value, 1, LLVMTypeOf(value)) && members_fold(place, aggregate, indices, count))
    built = insert_nested(place, aggregate, value, indices, count);
  PyMem_Free(indices);
  return built;
}

/* ---- Vectors ---- */

static LLVMValueRef vector_of(struct place *place, PyObject *object, const char *what)
{
  struct place_text text;
  LLVMValueRef vector = place_operand(place, object, what);
  if (vector && place_scalar(LLVMTypeOf(vector)) == LLVMTypeOf(vector))
    return place_refuse(place, "%s must be a vector, not of type %s", what,
                        place_type_text(place, LLVMTypeOf(vector), &text));
  return vector;
}

static LLVMValueRef index_of(struct place *place, PyObject *object)
{
  LLVMValueRef index = place_operand(place, object, "the index");
  if (index &&
      (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64))
    return place_refuse(place, "an index must be an integer of at most 64 bits");
  return index;
}

LLVMValueRef ir_build_extract_element(struct place *place, PyObject *args)
{
  PyObject *given, *object, *where;
  if (!PyArg_ParseTuple(args, "OOO:extract_element", &given, &object, &where))
    return NULL;
  LLVMValueRef vector = vector_of(place, object, "the operand of extractelement");
  LLVMValueRef index = vector ? index_of(place, where) : NULL;
  if (!index || !place_folds(place, &vector, 1, LLVMTypeOf(vector)))
    return NULL;
  return LLVMBuildExtractElement(place->builder, vector, index, place->name);
}

LLVMValueRef ir_build_insert_element(struct place *place, PyObject *args)
{
  PyObject *given, *object, *part, *where;
  if (!PyArg_ParseTuple(args, "OOOO:insert_element", &given, &object, &part, &where))
    return NULL;
  LLVMValueRef vector = vector_of(place, object, "the operand of insertelement");
  LLVMTypeRef scalar = vector ? place_scalar(LLVMTypeOf(vector)) : NULL;
  LLVMValueRef value = vector ? place_operand_of(place, part, scalar, "the element") : NULL;
  LLVMValueRef index = value ? index_of(place, where) : NULL;
  if (!index || !place_folds(place, (LLVMValueRef[]){vector, value}, 2, LLVMTypeOf(vector)))
    return NULL;
  return LLVMBuildInsertElement(place->builder, vector, value, index, place->name);
}

/* Builds a shuffle mask from indices into both vectors, concatenated; -1: poison. */
static LLVMValueRef mask_of(struct place *place, PyObject *tuple, unsigned most)
{
  if (!PyTuple_Check(tuple))
    return (void *)PyErr_Format(PyExc_TypeError, "a mask must be a tuple of ints, not %R", tuple);
  size_t count = (size_t)PyTuple_Size(tuple);
  LLVMTypeRef number = LLVMInt32TypeInContext(place->context);
  if (!count || count > 65536)
    return place_refuse(place, "a mask must have 1 to 65536 elements");
  LLVMValueRef *items = PyMem_Malloc(count * sizeof *items), mask = NULL;
  for (size_t i = 0; items && i < count; i++) {
    long at = PyLong_AsLong(PyTuple_GetItem(tuple, (Py_ssize_t)i));
    if (at < -1 || at >= (long)most || PyErr_Occurred()) {
      if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        place_refuse(place, "elements of a mask must be from 0 to %u, or -1 for poison", most - 1);
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

LLVMValueRef ir_build_shuffle(struct place *place, PyObject *args)
{
  PyObject *given, *left, *right, *tuple;
  if (!PyArg_ParseTuple(args, "OOOO:shuffle", &given, &left, &right, &tuple))
    return NULL;
  LLVMValueRef a = vector_of(place, left, "the first vector");
  LLVMValueRef b = a ? place_operand_of(place, right, LLVMTypeOf(a), "the second vector") : NULL;
  if (!b)
    return NULL;
  unsigned length = LLVMGetVectorSize(LLVMTypeOf(a));
  if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMVectorTypeKind || length > 65536)
    return place_refuse(place, "shufflevector is limited to fixed vectors of at most 65536 elements");
  LLVMValueRef mask = mask_of(place, tuple, 2 * length);
  if (!mask || !place_folds(place, (LLVMValueRef[]){a, b}, 2, LLVMTypeOf(a)))
    return NULL;
  return LLVMBuildShuffleVector(place->builder, a, b, mask, place->name);
}
