/* Alike: whether one instruction can stand for another.
   Needs: LLVM-C. Leaves: nothing changed. */
#include "ir/alike.h"

#include "ir/edit.h"

enum { MOST = 32 }; /* attributes at one place of a call */
enum { DEBUG_LOC = 0 }; /* the kind of metadata that says where an instruction is in the source, in every context */

/* A context has each attribute once, and a call's are in one order. */
static bool has_same_attributes(LLVMValueRef one, LLVMValueRef other, LLVMAttributeIndex at)
{
  LLVMAttributeRef of_one[MOST], of_other[MOST];
  unsigned count = LLVMGetCallSiteAttributeCount(one, at);
  if (count != LLVMGetCallSiteAttributeCount(other, at) || count > MOST)
    return false;
  LLVMGetCallSiteAttributes(one, at, of_one);
  LLVMGetCallSiteAttributes(other, at, of_other);
  for (unsigned i = 0; i < count; i++)
    if (of_one[i] != of_other[i])
      return false;
  return true;
}

static bool are_calls_alike(LLVMValueRef one, LLVMValueRef other)
{
  unsigned arguments = LLVMGetNumArgOperands(one);
  if (LLVMGetNumArgOperands(other) != arguments || LLVMGetNumOperandBundles(one) || LLVMGetNumOperandBundles(other) ||
      LLVMGetCalledFunctionType(one) != LLVMGetCalledFunctionType(other) ||
      LLVMGetInstructionCallConv(one) != LLVMGetInstructionCallConv(other) ||
      LLVMGetTailCallKind(one) != LLVMGetTailCallKind(other) ||
      (LLVMCanValueUseFastMathFlags(one) && LLVMGetFastMathFlags(one) != LLVMGetFastMathFlags(other)) ||
      !has_same_attributes(one, other, (LLVMAttributeIndex)LLVMAttributeFunctionIndex))
    return false;
  for (unsigned at = 0; at <= arguments; at++) /* 0 is the result */
    if (!has_same_attributes(one, other, at))
      return false;
  return true;
}

/* What LLVM-C gives as all but the place in the source has that too, in front. */
static size_t count_places(LLVMValueMetadataEntry *entries, size_t count)
{
  return count && LLVMValueMetadataEntriesGetKind(entries, 0) == DEBUG_LOC;
}

static bool has_same_metadata(LLVMValueRef one, LLVMValueRef other)
{
  size_t count, others;
  LLVMValueMetadataEntry *of_one = LLVMInstructionGetAllMetadataOtherThanDebugLoc(one, &count);
  LLVMValueMetadataEntry *of_other = LLVMInstructionGetAllMetadataOtherThanDebugLoc(other, &others);
  unsigned i = (unsigned)count_places(of_one, count), k = (unsigned)count_places(of_other, others);
  bool same = count - i == others - k;
  for (; same && i < count; i++, k++)
    same = LLVMValueMetadataEntriesGetKind(of_one, i) == LLVMValueMetadataEntriesGetKind(of_other, k) &&
           LLVMValueMetadataEntriesGetMetadata(of_one, i) == LLVMValueMetadataEntriesGetMetadata(of_other, k);
  LLVMDisposeValueMetadataEntries(of_one);
  LLVMDisposeValueMetadataEntries(of_other);
  return same;
}

static bool is_operation_alike(LLVMValueRef one, LLVMValueRef other)
{
  switch (LLVMGetInstructionOpcode(one)) {
  case LLVMCall: return are_calls_alike(one, other);
  case LLVMGetElementPtr:
    return LLVMGetGEPSourceElementType(one) == LLVMGetGEPSourceElementType(other) &&
           LLVMGEPGetNoWrapFlags(one) == LLVMGEPGetNoWrapFlags(other);
  case LLVMICmp:
    return LLVMGetICmpPredicate(one) == LLVMGetICmpPredicate(other) &&
           LLVMGetICmpSameSign(one) == LLVMGetICmpSameSign(other);
  case LLVMLoad:
    return edit_is_plain_load(one) && edit_is_plain_load(other) && edit_alignment(one) == edit_alignment(other);
  default: return false;
  }
}

bool alike(LLVMValueRef one, LLVMValueRef other)
{
  return LLVMGetInstructionOpcode(one) == LLVMGetInstructionOpcode(other) && LLVMTypeOf(one) == LLVMTypeOf(other) &&
         is_operation_alike(one, other) && has_same_metadata(one, other);
}
