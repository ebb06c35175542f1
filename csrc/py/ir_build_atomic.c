/* Builders of atomic instructions.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: sizes are powers of two, types are valid for
   atomic access, and orderings are valid for the instruction. */
#include <string.h>

#include "ir_building.h"
#include "ir_keywords.h"

#define ORDERING(name) (1u << LLVMAtomicOrdering##name)
enum {
  OF_ANY = ORDERING(Monotonic) | ORDERING(SequentiallyConsistent),
  OF_LOADS = OF_ANY | ORDERING(Unordered) | ORDERING(Acquire),
  OF_STORES = OF_ANY | ORDERING(Unordered) | ORDERING(Release),
  OF_CHANGES = OF_ANY | ORDERING(Acquire) | ORDERING(Release) | ORDERING(AcquireRelease),
  OF_FAILURES = OF_ANY | ORDERING(Acquire),
  OF_FENCES = ORDERING(Acquire) | ORDERING(Release) | ORDERING(AcquireRelease) | ORDERING(SequentiallyConsistent)
};

static bool find_ordering(struct build_site *site, const char *word, unsigned allowed_mask, const char *what,
                          LLVMAtomicOrdering *ordering)
{
  int number = ir_keyword_number(&ir_orderings, word);
  *ordering = (LLVMAtomicOrdering)number;
  return (number >= 0 && allowed_mask & 1u << number) ||
         site_raise_usage_error(site, "'%.40s' is not a valid ordering of %s", word, what);
}

enum { INTEGERS = 1, FLOATS = 2, POINTERS = 4 };

static bool is_atomic_type_of_kinds(LLVMTypeRef type, unsigned kinds)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMIntegerTypeKind) {
    unsigned bits = LLVMGetIntTypeWidth(type);
    return kinds & INTEGERS && bits >= 8 && !(bits & (bits - 1));
  }
  if (kind == LLVMPointerTypeKind)
    return kinds & POINTERS;
  return kinds & FLOATS && kind != LLVMX86_FP80TypeKind && site_scalar(type) == type && site_has_float_type(type);
}

static bool check_atomic_operand_type(struct build_site *site, LLVMTypeRef type, unsigned kinds, const char *what)
{
  if (is_atomic_type_of_kinds(type, kinds))
    return true;
  return site_raise_usage_error(site, "%s has type %s; it must be %s%s%s of a power-of-two size of at least 8 bits",
                                what, site_text_of_type(site, type), kinds & INTEGERS ? "an integer" : "a float",
                                kinds & FLOATS && kinds & INTEGERS ? ", a float" : "",
                                kinds & POINTERS ? ", or a pointer" : "");
}

static LLVMValueRef set_atomic_properties(LLVMValueRef built, uint64_t align, bool is_volatile,
                                          LLVMAtomicOrdering ordering, bool single)
{
  site_set_alignment_and_volatility(built, align, is_volatile);
  LLVMSetOrdering(built, ordering);
  LLVMSetAtomicSingleThread(built, single);
  return built;
}

LLVMValueRef ir_build_load_atomic(struct build_site *site, PyObject *args)
{
  const char *word;
  uint64_t align;
  int is_volatile, single;
  LLVMTypeRef type;
  LLVMValueRef pointer;
  LLVMAtomicOrdering ordering;
  if (!site_parse(site, args, "TPsApp", &type, "the type of the loaded value", &pointer, &word, &align, &is_volatile,
                  &single) ||
      !check_atomic_operand_type(site, type, INTEGERS | FLOATS | POINTERS, "the loaded value") ||
      !find_ordering(site, word, OF_LOADS, "a load", &ordering))
    return NULL;
  return set_atomic_properties(LLVMBuildLoad2(site->builder, type, pointer, site->name), align, is_volatile, ordering,
                               single);
}

LLVMValueRef ir_build_store_atomic(struct build_site *site, PyObject *args)
{
  const char *word;
  uint64_t align;
  int is_volatile, single;
  LLVMValueRef value, pointer;
  LLVMAtomicOrdering ordering;
  if (!site_parse(site, args, "VPsApp", &value, "the stored value", &pointer, &word, &align, &is_volatile, &single) ||
      !check_atomic_operand_type(site, LLVMTypeOf(value), INTEGERS | FLOATS | POINTERS, "the stored value") ||
      !find_ordering(site, word, OF_STORES, "a store", &ordering))
    return NULL;
  return set_atomic_properties(LLVMBuildStore(site->builder, value, pointer), align, is_volatile, ordering, single);
}

LLVMValueRef ir_build_cmpxchg(struct build_site *site, PyObject *args)
{
  const char *word, *failure;
  uint64_t align;
  int weak, is_volatile, single;
  LLVMValueRef pointer, expected, value;
  LLVMAtomicOrdering success, failed;
  if (!site_parse(site, args, "PV=ssAppp", &pointer, &expected, "the expected value", &value, "the stored value", &word,
                  &failure, &align, &weak, &is_volatile, &single) ||
      !check_atomic_operand_type(site, LLVMTypeOf(value), INTEGERS | POINTERS, "the new value") ||
      !find_ordering(site, word, OF_CHANGES, "a cmpxchg that succeeds", &success) ||
      !find_ordering(site, failure, OF_FAILURES, "a cmpxchg that fails", &failed))
    return NULL;
  LLVMValueRef built = LLVMBuildAtomicCmpXchg(site->builder, pointer, expected, value, success, failed, single);
  LLVMSetWeak(built, weak);
  site_set_alignment_and_volatility(built, align, is_volatile);
  LLVMSetValueName2(built, site->name, strlen(site->name));
  return built;
}

static unsigned kinds_of_rmw_operand(LLVMAtomicRMWBinOp operation)
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
  const char *name, *word;
  uint64_t align;
  int is_volatile, single;
  LLVMValueRef pointer, value;
  LLVMAtomicOrdering ordering;
  if (!site_parse(site, args, "sPVsApp", &name, &pointer, &value, "the operand", &word, &align, &is_volatile, &single))
    return NULL;
  int operation = ir_keyword_number(&ir_operations, name);
  if (operation < 0)
    return site_raise_usage_error(site, "'%.40s' is not an operation of atomicrmw", name);
  if (!check_atomic_operand_type(site, LLVMTypeOf(value), kinds_of_rmw_operand((LLVMAtomicRMWBinOp)operation),
                                 "the operand") ||
      !find_ordering(site, word, OF_CHANGES, "an atomicrmw", &ordering))
    return NULL;
  LLVMValueRef built =
      LLVMBuildAtomicRMW(site->builder, (LLVMAtomicRMWBinOp)operation, pointer, value, ordering, single);
  site_set_alignment_and_volatility(built, align, is_volatile);
  LLVMSetValueName2(built, site->name, strlen(site->name));
  return built;
}

LLVMValueRef ir_build_fence(struct build_site *site, PyObject *args)
{
  const char *word;
  int single;
  LLVMAtomicOrdering ordering;
  if (!site_parse(site, args, "sp", &word, &single) || !find_ordering(site, word, OF_FENCES, "a fence", &ordering))
    return NULL;
  return LLVMBuildFence(site->builder, ordering, single, "");
}
