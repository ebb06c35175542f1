/* Alike: whether two instructions do the same as far as they themselves say, whatever their operands are.
   Needs: LLVM-C. Leaves: the function as it was, but for alike_forget. */
#include "ir/alike.h"

#include "ir/edit.h"

bool alike_is_pure(LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMGetElementPtr:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMICmp:
  case LLVMSelect:
  case LLVMExtractValue:
  case LLVMInsertValue: return true;
  default: return false;
  }
}

static bool same_flags(LLVMValueRef a, LLVMValueRef b)
{
  switch (LLVMGetInstructionOpcode(a)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMTrunc: return LLVMGetNUW(a) == LLVMGetNUW(b) && LLVMGetNSW(a) == LLVMGetNSW(b);
  case LLVMLShr:
  case LLVMAShr: return LLVMGetExact(a) == LLVMGetExact(b);
  case LLVMOr: return LLVMGetIsDisjoint(a) == LLVMGetIsDisjoint(b);
  case LLVMZExt: return LLVMGetNNeg(a) == LLVMGetNNeg(b);
  case LLVMICmp:
    return LLVMGetICmpPredicate(a) == LLVMGetICmpPredicate(b) && LLVMGetICmpSameSign(a) == LLVMGetICmpSameSign(b);
  case LLVMGetElementPtr:
    return LLVMGetGEPSourceElementType(a) == LLVMGetGEPSourceElementType(b) &&
           LLVMGEPGetNoWrapFlags(a) == LLVMGEPGetNoWrapFlags(b);
  default: return !LLVMCanValueUseFastMathFlags(a) || LLVMGetFastMathFlags(a) == LLVMGetFastMathFlags(b);
  }
}

static bool same_indices(LLVMValueRef a, LLVMValueRef b)
{
  unsigned count = LLVMGetNumIndices(a);
  if (LLVMGetNumIndices(b) != count)
    return false;
  for (unsigned i = 0; i < count; i++)
    if (LLVMGetIndices(a)[i] != LLVMGetIndices(b)[i])
      return false;
  return true;
}

/* Attributes belong to their context, and each stands there once. */
static bool same_attributes(struct coro_arena *arena, LLVMValueRef a, LLVMValueRef b, LLVMAttributeIndex at)
{
  struct edit_attributes of_a = edit_attributes_of(arena, a, at), of_b = edit_attributes_of(arena, b, at);
  if (of_a.count != of_b.count)
    return false;
  for (unsigned i = 0; i < of_a.count; i++)
    if (of_a.items[i] != of_b.items[i])
      return false;
  return true;
}

static bool same_call(struct coro_arena *arena, LLVMValueRef a, LLVMValueRef b)
{
  unsigned count = LLVMGetNumArgOperands(a);
  if (LLVMGetCalledFunctionType(a) != LLVMGetCalledFunctionType(b) || LLVMGetNumArgOperands(b) != count ||
      LLVMGetInstructionCallConv(a) != LLVMGetInstructionCallConv(b) || LLVMGetNumOperandBundles(a) ||
      LLVMGetNumOperandBundles(b))
    return false;
  if (LLVMIsACallInst(a) && LLVMGetTailCallKind(a) != LLVMGetTailCallKind(b))
    return false;
  for (unsigned i = 0; i <= count; i++)
    if (!same_attributes(arena, a, b, i)) /* of the result, and of the arguments */
      return false;
  return same_attributes(arena, a, b, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
}

static bool same_access(LLVMValueRef a, LLVMValueRef b)
{
  bool change = LLVMIsAAtomicRMWInst(a) != NULL, atomic = LLVMGetOrdering(a) != LLVMAtomicOrderingNotAtomic;
  return LLVMGetOrdering(a) == LLVMGetOrdering(b) && LLVMGetVolatile(a) == LLVMGetVolatile(b) &&
         (!atomic || LLVMGetAtomicSyncScopeID(a) == LLVMGetAtomicSyncScopeID(b)) &&
         (change ? LLVMGetAlignment(a) == LLVMGetAlignment(b) && LLVMGetAtomicRMWBinOp(a) == LLVMGetAtomicRMWBinOp(b)
                 : edit_alignment(a) == edit_alignment(b));
}

bool alike(struct coro_arena *arena, LLVMValueRef a, LLVMValueRef b)
{
  if (LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b) ||
      LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
    return false;
  if (alike_is_pure(a))
    return same_flags(a, b) && ((!LLVMIsAExtractValueInst(a) && !LLVMIsAInsertValueInst(a)) || same_indices(a, b));
  switch (LLVMGetInstructionOpcode(a)) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMAtomicRMW: return same_access(a, b);
  case LLVMCall:
  case LLVMInvoke: return same_call(arena, a, b);
  case LLVMLandingPad: return LLVMIsCleanup(a) == LLVMIsCleanup(b);
  case LLVMPHI: return same_flags(a, b);
  case LLVMBr:
  case LLVMSwitch:
  case LLVMRet:
  case LLVMResume:
  case LLVMUnreachable: return true;
  default: return false;
  }
}

void alike_forget(LLVMValueRef a, LLVMValueRef b)
{
  size_t count = 0;
  LLVMValueMetadataEntry *entries =
      LLVMHasMetadata(a) ? LLVMInstructionGetAllMetadataOtherThanDebugLoc(a, &count) : NULL;
  for (unsigned i = 0; i < count; i++) {
    unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
    LLVMValueRef other = LLVMHasMetadata(b) ? LLVMGetMetadata(b, kind) : NULL;
    if (!other || LLVMValueAsMetadata(other) != LLVMValueMetadataEntriesGetMetadata(entries, i))
      LLVMSetMetadata(a, kind, NULL);
  }
  if (entries)
    LLVMDisposeValueMetadataEntries(entries);
}
