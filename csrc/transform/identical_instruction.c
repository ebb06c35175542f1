/* Compares two instructions structurally, field by field, and of their operands under a correspondence of values. */
#include "transform/identical_instruction.h"

#include <string.h>

#include "ir/edit.h"
#include "llvm_branches.h"
#include "llvm_metadata.h"

enum { MAX_ATTRIBUTES = 32 };

static unsigned attribute_count(LLVMValueRef of, LLVMAttributeIndex at)
{
  return LLVMIsAFunction(of) ? LLVMGetAttributeCountAtIndex(of, at) : LLVMGetCallSiteAttributeCount(of, at);
}

static void list_attributes(LLVMValueRef of, LLVMAttributeIndex at, LLVMAttributeRef *all)
{
  (LLVMIsAFunction(of) ? LLVMGetAttributesAtIndex : LLVMGetCallSiteAttributes)(of, at, all);
}

/* LLVM uniques attributes per context and sorts those of one index, so the lists compare element by element. */
bool has_equal_attributes(LLVMValueRef one, LLVMValueRef other, LLVMAttributeIndex at)
{
  LLVMAttributeRef of_one[MAX_ATTRIBUTES], of_other[MAX_ATTRIBUTES];
  unsigned count = attribute_count(one, at);
  if (count > MAX_ATTRIBUTES || count != attribute_count(other, at))
    return false;
  if (!count)
    return true;
  list_attributes(one, at, of_one);
  list_attributes(other, at, of_other);
  return memcmp(of_one, of_other, count * sizeof *of_one) == 0;
}

static bool have_same_fast_math_flags(LLVMValueRef one, LLVMValueRef other)
{
  return !LLVMCanValueUseFastMathFlags(one) || LLVMGetFastMathFlags(one) == LLVMGetFastMathFlags(other);
}

static bool have_same_tail_call_kind(LLVMValueRef one, LLVMValueRef other)
{
  return !LLVMIsACallInst(one) || LLVMGetTailCallKind(one) == LLVMGetTailCallKind(other);
}

bool has_equal_bundle_shapes(LLVMValueRef one, LLVMValueRef other)
{
  unsigned count = LLVMGetNumOperandBundles(one);
  bool similar = count == LLVMGetNumOperandBundles(other);
  for (unsigned i = 0; similar && i < count; i++) {
    size_t length, others;
    LLVMOperandBundleRef of_one = LLVMGetOperandBundleAtIndex(one, i), of_other = LLVMGetOperandBundleAtIndex(other, i);
    const char *tag = LLVMGetOperandBundleTag(of_one, &length), *tags = LLVMGetOperandBundleTag(of_other, &others);
    similar = length == others && !memcmp(tag, tags, length) &&
              LLVMGetNumOperandBundleArgs(of_one) == LLVMGetNumOperandBundleArgs(of_other);
    LLVMDisposeOperandBundle(of_one);
    LLVMDisposeOperandBundle(of_other);
  }
  return similar;
}

static bool have_same_call_sites(LLVMValueRef one, LLVMValueRef other)
{
  unsigned arguments = LLVMGetNumArgOperands(one);
  if (LLVMGetCalledFunctionType(one) != LLVMGetCalledFunctionType(other) || LLVMGetNumArgOperands(other) != arguments ||
      LLVMGetInstructionCallConv(one) != LLVMGetInstructionCallConv(other) || !have_same_tail_call_kind(one, other) ||
      !have_same_fast_math_flags(one, other) ||
      !has_equal_attributes(one, other, (LLVMAttributeIndex)LLVMAttributeFunctionIndex))
    return false;
  for (unsigned at = 0; at <= arguments; at++) /* index 0 is the result */
    if (!has_equal_attributes(one, other, at))
      return false;
  return true;
}

static bool are_identical_calls(LLVMValueRef one, LLVMValueRef other)
{
  return !LLVMGetNumOperandBundles(one) && !LLVMGetNumOperandBundles(other) && have_same_call_sites(one, other);
}

/* The index of the first entry that is not the debug location: despite its name,
   LLVMInstructionGetAllMetadataOtherThanDebugLoc returns the debug location as the first entry. */
static unsigned first_entry_after_debug_location(LLVMValueMetadataEntry *entries, size_t count)
{
  return count && LLVMValueMetadataEntriesGetKind(entries, 0) == METADATA_DBG ? 1 : 0;
}

bool has_metadata_besides_location(LLVMValueRef inst)
{
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(inst, &count);
  bool has = first_entry_after_debug_location(entries, count) < count;
  LLVMDisposeValueMetadataEntries(entries);
  return has;
}

static bool is_loop_metadata_kind(unsigned kind)
{
  return kind == METADATA_LOOP; /* it contains debug locations, which differ in each function */
}

/* The next entry, from `from` on, that is compared. */
static unsigned next_compared_metadata_entry(LLVMValueMetadataEntry *entries, unsigned from, size_t count,
                                             bool compares_hints)
{
  while (!compares_hints && from < count && is_loop_metadata_kind(LLVMValueMetadataEntriesGetKind(entries, from)))
    from++;
  return from;
}

static bool have_same_metadata_lists(LLVMValueRef one, LLVMValueRef other, bool compares_hints)
{
  size_t count, others;
  LLVMValueMetadataEntry *of_one = LLVMInstructionGetAllMetadataOtherThanDebugLoc(one, &count);
  LLVMValueMetadataEntry *of_other = LLVMInstructionGetAllMetadataOtherThanDebugLoc(other, &others);
  unsigned i =
      next_compared_metadata_entry(of_one, first_entry_after_debug_location(of_one, count), count, compares_hints);
  unsigned k = next_compared_metadata_entry(of_other, first_entry_after_debug_location(of_other, others), others,
                                            compares_hints);
  bool same = true;
  while (same && i < count && k < others) {
    same = LLVMValueMetadataEntriesGetKind(of_one, i) == LLVMValueMetadataEntriesGetKind(of_other, k) &&
           LLVMValueMetadataEntriesGetMetadata(of_one, i) == LLVMValueMetadataEntriesGetMetadata(of_other, k);
    i = next_compared_metadata_entry(of_one, i + 1, count, compares_hints);
    k = next_compared_metadata_entry(of_other, k + 1, others, compares_hints);
  }
  same = same && i >= count && k >= others;
  LLVMDisposeValueMetadataEntries(of_one);
  LLVMDisposeValueMetadataEntries(of_other);
  return same;
}

/* Whether the metadata is the same, apart from debug locations, and from hints unless `compares_hints`. */
static inline bool have_same_metadata(LLVMValueRef one, LLVMValueRef other, bool compares_hints)
{
  return (!LLVMHasMetadata(one) && !LLVMHasMetadata(other)) || /* the lists are allocated */
         have_same_metadata_lists(one, other, compares_hints);
}

static bool have_same_call_gep_icmp_or_load_data(LLVMOpcode opcode, LLVMValueRef one, LLVMValueRef other)
{
  switch (opcode) {
  case LLVMCall: return are_identical_calls(one, other);
  case LLVMGetElementPtr:
    return LLVMGetGEPSourceElementType(one) == LLVMGetGEPSourceElementType(other) &&
           LLVMGEPGetNoWrapFlags(one) == LLVMGEPGetNoWrapFlags(other);
  case LLVMICmp:
    return LLVMGetICmpPredicate(one) == LLVMGetICmpPredicate(other) &&
           LLVMGetICmpSameSign(one) == LLVMGetICmpSameSign(other);
  case LLVMLoad:
    return edit_is_simple_load(one) && edit_is_simple_load(other) && edit_alignment(one) == edit_alignment(other);
  default: return false;
  }
}

bool is_identical_call_gep_icmp_or_load(LLVMValueRef one, LLVMValueRef other)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(one);
  return opcode == LLVMGetInstructionOpcode(other) && LLVMTypeOf(one) == LLVMTypeOf(other) &&
         have_same_call_gep_icmp_or_load_data(opcode, one, other) && have_same_metadata(one, other, true);
}

/* ---- Volatile, atomic and integer operations, and terminators ---- */

static bool have_same_switch_cases(LLVMValueRef one, LLVMValueRef other)
{
  unsigned count = LLVMGetNumSuccessors(one);
  if (LLVMGetNumSuccessors(other) != count)
    return false;
  for (unsigned i = 1; i < count; i++) /* index 0 is the default destination */
    if (LLVMGetSwitchCaseValue(one, i) != LLVMGetSwitchCaseValue(other, i))
      return false;
  return true;
}

static bool have_same_aggregate_indices(LLVMValueRef one, LLVMValueRef other)
{
  unsigned count = LLVMGetNumIndices(one);
  return LLVMGetNumIndices(other) == count &&
         !memcmp(LLVMGetIndices(one), LLVMGetIndices(other), count * sizeof *LLVMGetIndices(one));
}

static bool are_identical_memory_accesses(LLVMValueRef one, LLVMValueRef other)
{
  LLVMAtomicOrdering ordering = LLVMGetOrdering(one);
  return ordering == LLVMGetOrdering(other) && LLVMGetVolatile(one) == LLVMGetVolatile(other) &&
         LLVMGetAlignment(one) == LLVMGetAlignment(other) &&
         (ordering == LLVMAtomicOrderingNotAtomic || LLVMGetAtomicSyncScopeID(one) == LLVMGetAtomicSyncScopeID(other));
}

static bool have_same_data_of_other_opcode(LLVMOpcode opcode, LLVMValueRef one, LLVMValueRef other)
{
  switch (opcode) {
#define BRANCH_CASE(opcode, word) case opcode:
    LLVM_BRANCHES(BRANCH_CASE)
#undef BRANCH_CASE
  case LLVMRet:
  case LLVMResume:
  case LLVMUnreachable:
  case LLVMFreeze:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMBitCast:
  case LLVMSExt: return true;
  case LLVMPHI:
  case LLVMSelect: return have_same_fast_math_flags(one, other);
  case LLVMSwitch: return have_same_switch_cases(one, other);
  case LLVMInvoke: return are_identical_calls(one, other);
  case LLVMLandingPad: return LLVMIsCleanup(one) == LLVMIsCleanup(other);
  case LLVMExtractValue:
  case LLVMInsertValue: return have_same_aggregate_indices(one, other);
  case LLVMZExt: return LLVMGetNNeg(one) == LLVMGetNNeg(other);
  case LLVMTrunc:
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl: return LLVMGetNUW(one) == LLVMGetNUW(other) && LLVMGetNSW(one) == LLVMGetNSW(other);
  case LLVMLShr:
  case LLVMAShr: return LLVMGetExact(one) == LLVMGetExact(other);
  case LLVMOr: return LLVMGetIsDisjoint(one) == LLVMGetIsDisjoint(other);
  case LLVMAnd:
  case LLVMXor: return true;
  case LLVMLoad:
  case LLVMStore: return are_identical_memory_accesses(one, other);
  case LLVMAtomicRMW:
    return LLVMGetAtomicRMWBinOp(one) == LLVMGetAtomicRMWBinOp(other) && are_identical_memory_accesses(one, other);
  default: return false;
  }
}

bool is_identical_but_for_operands_if_supported(LLVMValueRef one, LLVMValueRef other)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(one);
  return opcode == LLVMGetInstructionOpcode(other) && LLVMTypeOf(one) == LLVMTypeOf(other) &&
         LLVMGetNumOperands(one) == LLVMGetNumOperands(other) &&
         (have_same_call_gep_icmp_or_load_data(opcode, one, other) ||
          have_same_data_of_other_opcode(opcode, one, other)) &&
         have_same_metadata(one, other, true);
}

/* ---- Operands ---- */

bool is_equivalent_value(const struct coro_map *counterparts, LLVMValueRef one, LLVMValueRef other)
{
  uint64_t counterpart = coro_map_key(one);
  if (counterparts)
    coro_map_get(counterparts, coro_map_key(one), &counterpart);
  return counterpart == coro_map_key(other);
}

bool have_equivalent_nonblock_operands(const struct coro_map *counterparts, LLVMValueRef one, LLVMValueRef other)
{
  unsigned count = (unsigned)LLVMGetNumOperands(one);
  bool same = count == (unsigned)LLVMGetNumOperands(other);
  for (unsigned o = 0; same && o < count; o++)
    same = LLVMValueIsBasicBlock(LLVMGetOperand(one, o)) ||
           is_equivalent_value(counterparts, LLVMGetOperand(one, o), LLVMGetOperand(other, o));
  return same;
}

bool is_equivalent_instruction(const struct coro_map *counterparts, LLVMValueRef one, LLVMValueRef other)
{
  return is_identical_but_for_operands_if_supported(one, other) &&
         have_equivalent_nonblock_operands(counterparts, one, other);
}

/* ---- Copies ---- */

static bool have_same_shuffle_mask(LLVMValueRef one, LLVMValueRef other)
{
  unsigned count = LLVMGetNumMaskElements(one);
  bool same = count == LLVMGetNumMaskElements(other);
  for (unsigned i = 0; same && i < count; i++)
    same = LLVMGetMaskValue(one, i) == LLVMGetMaskValue(other, i);
  return same;
}

static bool are_identical_cmpxchgs(LLVMValueRef one, LLVMValueRef other)
{
  return LLVMGetCmpXchgSuccessOrdering(one) == LLVMGetCmpXchgSuccessOrdering(other) &&
         LLVMGetCmpXchgFailureOrdering(one) == LLVMGetCmpXchgFailureOrdering(other) &&
         LLVMGetWeak(one) == LLVMGetWeak(other) && LLVMGetVolatile(one) == LLVMGetVolatile(other) &&
         LLVMGetAlignment(one) == LLVMGetAlignment(other) &&
         LLVMGetAtomicSyncScopeID(one) == LLVMGetAtomicSyncScopeID(other);
}

static bool is_copy_of_operation(LLVMOpcode opcode, LLVMValueRef one, LLVMValueRef other)
{
  switch (opcode) {
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr: return have_same_call_sites(one, other) && has_equal_bundle_shapes(one, other);
  case LLVMLoad: return are_identical_memory_accesses(one, other);
  case LLVMAlloca:
    return LLVMGetAllocatedType(one) == LLVMGetAllocatedType(other) && edit_alignment(one) == edit_alignment(other);
  case LLVMFCmp:
    return LLVMGetFCmpPredicate(one) == LLVMGetFCmpPredicate(other) && have_same_fast_math_flags(one, other);
  case LLVMShuffleVector: return have_same_shuffle_mask(one, other);
  case LLVMAtomicCmpXchg: return are_identical_cmpxchgs(one, other);
  case LLVMFence:
    return LLVMGetOrdering(one) == LLVMGetOrdering(other) &&
           LLVMGetAtomicSyncScopeID(one) == LLVMGetAtomicSyncScopeID(other);
  case LLVMUDiv:
  case LLVMSDiv: return LLVMGetExact(one) == LLVMGetExact(other);
  case LLVMUIToFP: return LLVMGetNNeg(one) == LLVMGetNNeg(other) && have_same_fast_math_flags(one, other);
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFDiv:
  case LLVMFRem:
  case LLVMFNeg:
  case LLVMFPTrunc:
  case LLVMFPExt:
  case LLVMFPToUI:
  case LLVMFPToSI:
  case LLVMSIToFP:
  case LLVMURem:
  case LLVMSRem:
  case LLVMAddrSpaceCast:
  case LLVMIndirectBr:
  case LLVMVAArg:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMCatchRet:
  case LLVMCatchPad:
  case LLVMCleanupPad:
  case LLVMCleanupRet:
  case LLVMCatchSwitch: return have_same_fast_math_flags(one, other);
  case LLVMGetElementPtr:
  case LLVMICmp: return have_same_call_gep_icmp_or_load_data(opcode, one, other);
  default: return have_same_data_of_other_opcode(opcode, one, other);
  }
}

bool is_copy_but_for_operands_and_loop_metadata(LLVMValueRef one, LLVMValueRef other)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(one);
  return opcode == LLVMGetInstructionOpcode(other) && LLVMTypeOf(one) == LLVMTypeOf(other) &&
         LLVMGetNumOperands(one) == LLVMGetNumOperands(other) && is_copy_of_operation(opcode, one, other) &&
         have_same_metadata(one, other, false);
}
