/* Builders of atomic instructions.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: sizes are powers of two, types are valid for
   atomic access, and orderings are valid for the instruction. */
#include <string.h>

#include "ir_build.h"

#define ORDERING(name) (1u << LLVMAtomicOrdering##name)
enum {
  OF_ANY = ORDERING(Monotonic) | ORDERING(SequentiallyConsistent),
  OF_LOADS = OF_ANY | ORDERING(Unordered) | ORDERING(Acquire),
  OF_STORES = OF_ANY | ORDERING(Unordered) | ORDERING(Release),
  OF_CHANGES = OF_ANY | ORDERING(Acquire) | ORDERING(Release) | ORDERING(AcquireRelease),
  OF_FAILURES = OF_ANY | ORDERING(Acquire),
  OF_FENCES = ORDERING(Acquire) | ORDERING(Release) | ORDERING(AcquireRelease) | ORDERING(SequentiallyConsistent)
};

static bool find_ordering(struct build_site *site, const char *word, unsigned of, const char *what,
                          LLVMAtomicOrdering *ordering)
{
  for (unsigned i = 0; i < IR_ORDERINGS; i++)
    if (ir_ordering_words[i] && of & 1u << i && !strcmp(ir_ordering_words[i], word)) {
      *ordering = (LLVMAtomicOrdering)i;
      return true;
    }
  return site_raise(site, "'%.40s' is not a valid ordering of %s", word, what);
}

enum { INTEGERS = 1, FLOATS = 2, POINTERS = 4 };

static bool is_type_of_kinds(LLVMTypeRef type, unsigned kinds)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMIntegerTypeKind) {
    unsigned bits = LLVMGetIntTypeWidth(type);
    return kinds & INTEGERS && bits >= 8 && !(bits & (bits - 1));
  }
  if (kind == LLVMPointerTypeKind)
    return kinds & POINTERS;
  return kinds & FLOATS && kind != LLVMX86_FP80TypeKind && site_scalar(type) == type && site_is_float(type);
}

static bool check_type(struct build_site *site, LLVMTypeRef type, unsigned kinds, const char *what)
{
  struct site_text text;
  if (is_type_of_kinds(type, kinds))
    return true;
  return site_raise(site, "%s has type %s; it must be %s%s%s of a power-of-two size of at least 8 bits", what,
                    site_type_text(site, type, &text), kinds & INTEGERS ? "an integer" : "a float",
                    kinds & FLOATS && kinds & INTEGERS ? ", a float" : "", kinds & POINTERS ? ", or a pointer" : "");
}

LLVMValueRef ir_build_load_atomic(struct build_site *site, PyObject *args)
{
  PyObject *given, *wanted, *object;
  const char *word;
  unsigned long long align;
  int is_volatile, single;
  LLVMAtomicOrdering ordering = LLVMAtomicOrderingNotAtomic;
  if (!PyArg_ParseTuple(args, "OOOsKpp:load_atomic", &given, &wanted, &object, &word, &align, &is_volatile, &single))
    return NULL;
  LLVMTypeRef type = site_type(site, wanted, "the type of the loaded value");
  LLVMValueRef pointer = type ? site_pointer(site, object) : NULL;
  if (!pointer || !check_type(site, type, INTEGERS | FLOATS | POINTERS, "the loaded value") ||
      !site_align(site, align) || !find_ordering(site, word, OF_LOADS, "a load", &ordering))
    return NULL;
  LLVMValueRef built = LLVMBuildLoad2(site->builder, type, pointer, site->name);
  site_memory(built, align, is_volatile);
  LLVMSetOrdering(built, ordering);
  LLVMSetAtomicSingleThread(built, single);
  return built;
}

LLVMValueRef ir_build_store_atomic(struct build_site *site, PyObject *args)
{
  PyObject *given, *object, *where;
  const char *word;
  unsigned long long align;
  int is_volatile, single;
  LLVMAtomicOrdering ordering = LLVMAtomicOrderingNotAtomic;
  if (!PyArg_ParseTuple(args, "OOOsKpp:store_atomic", &given, &object, &where, &word, &align, &is_volatile, &single))
    return NULL;
  LLVMValueRef value = site_operand(site, object, "the stored value");
  LLVMValueRef pointer = value ? site_pointer(site, where) : NULL;
  if (!pointer || !check_type(site, LLVMTypeOf(value), INTEGERS | FLOATS | POINTERS, "the stored value") ||
      !site_align(site, align) || !find_ordering(site, word, OF_STORES, "a store", &ordering))
    return NULL;
  LLVMValueRef built = LLVMBuildStore(site->builder, value, pointer);
  site_memory(built, align, is_volatile);
  LLVMSetOrdering(built, ordering);
  LLVMSetAtomicSingleThread(built, single);
  return built;
}

LLVMValueRef ir_build_cmpxchg(struct build_site *site, PyObject *args)
{
  PyObject *given, *where, *object, *other;
  const char *word, *failure;
  unsigned long long align;
  int weak, is_volatile, single;
  LLVMAtomicOrdering success = LLVMAtomicOrderingNotAtomic, failed = LLVMAtomicOrderingNotAtomic;
  if (!PyArg_ParseTuple(args, "OOOOssKppp:cmpxchg", &given, &where, &object, &other, &word, &failure, &align, &weak,
                        &is_volatile, &single))
    return NULL;
  LLVMValueRef pointer = site_pointer(site, where);
  LLVMValueRef expected = pointer ? site_operand(site, object, "the expected value") : NULL;
  LLVMValueRef value = expected ? site_operand_of(site, other, LLVMTypeOf(expected), "the stored value") : NULL;
  if (!value || !check_type(site, LLVMTypeOf(value), INTEGERS | POINTERS, "the new value") ||
      !site_align(site, align) || !find_ordering(site, word, OF_CHANGES, "a cmpxchg that succeeds", &success) ||
      !find_ordering(site, failure, OF_FAILURES, "a cmpxchg that fails", &failed))
    return NULL;
  LLVMValueRef built = LLVMBuildAtomicCmpXchg(site->builder, pointer, expected, value, success, failed, single);
  LLVMSetWeak(built, weak);
  site_memory(built, align, is_volatile);
  LLVMSetValueName2(built, site->name, strlen(site->name));
  return built;
}

static unsigned operand_type_kinds(LLVMAtomicRMWBinOp operation)
{
  switch (operation) {
  case LLVMAtomicRMWBinOpXchg: return INTEGERS | FLOATS | POINTERS;
  case LLVMAtomicRMWBinOpFAdd:
  case LLVMAtomicRMWBinOpFSub:
  case LLVMAtomicRMWBinOpFMax:
  case LLVMAtomicRMWBinOpFMin:
  case LLVMAtomicRMWBinOpFMaximum:
  case LLVMAtomicRMWBinOpFMinimum: return FLOATS;
  default: return INTEGERS;
  }
}

LLVMValueRef ir_build_atomicrmw(struct build_site *site, PyObject *args)
{
  PyObject *given, *where, *object;
  const char *name, *word;
  unsigned long long align;
  int is_volatile, single;
  unsigned operation = 0;
  LLVMAtomicOrdering ordering = LLVMAtomicOrderingNotAtomic;
  if (!PyArg_ParseTuple(args, "OsOOsKpp:atomicrmw", &given, &name, &where, &object, &word, &align, &is_volatile,
                        &single))
    return NULL;
  while (operation < IR_OPERATIONS && (!ir_operation_words[operation] || strcmp(ir_operation_words[operation], name)))
    operation++;
  if (operation == IR_OPERATIONS)
    return site_raise(site, "'%.40s' is not an operation of atomicrmw", name);
  LLVMValueRef pointer = site_pointer(site, where);
  LLVMValueRef value = pointer ? site_operand(site, object, "the operand") : NULL;
  if (!value ||
      !check_type(site, LLVMTypeOf(value), operand_type_kinds((LLVMAtomicRMWBinOp)operation), "the operand") ||
      !site_align(site, align) || !find_ordering(site, word, OF_CHANGES, "an atomicrmw", &ordering))
    return NULL;
  LLVMValueRef built =
      LLVMBuildAtomicRMW(site->builder, (LLVMAtomicRMWBinOp)operation, pointer, value, ordering, single);
  site_memory(built, align, is_volatile);
  LLVMSetValueName2(built, site->name, strlen(site->name));
  return built;
}

LLVMValueRef ir_build_fence(struct build_site *site, PyObject *args)
{
  PyObject *given;
  const char *word;
  int single;
  LLVMAtomicOrdering ordering = LLVMAtomicOrderingNotAtomic;
  if (!PyArg_ParseTuple(args, "Osp:fence", &given, &word, &single) ||
      !find_ordering(site, word, OF_FENCES, "a fence", &ordering))
    return NULL;
  return LLVMBuildFence(site->builder, ordering, single, "");
}
