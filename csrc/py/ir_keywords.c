/* Words of textual IR for LLVM's enum values.
   Guarantees: no two numbers of an enum have the same word, except kinds of constants. */
#include "ir_keywords.h"

#include <string.h>

#include "llvm_branches.h"

#define WORDS(name, base, ...)                                                                                         \
  static const char *const name##_keywords[] = {__VA_ARGS__};                                                          \
  const struct ir_keywords name = {name##_keywords, base, sizeof name##_keywords / sizeof *name##_keywords};

#define BRANCH_WORD(opcode, word) [opcode] = word,
WORDS(ir_opcodes, 0,
      LLVM_BRANCHES(BRANCH_WORD)[LLVMRet] = "ret", [LLVMSwitch] = "switch", [LLVMIndirectBr] = "indirectbr",
      [LLVMInvoke] = "invoke", [LLVMUnreachable] = "unreachable", [LLVMCallBr] = "callbr", [LLVMFNeg] = "fneg",
      [LLVMAdd] = "add", [LLVMFAdd] = "fadd", [LLVMSub] = "sub", [LLVMFSub] = "fsub", [LLVMMul] = "mul",
      [LLVMFMul] = "fmul", [LLVMUDiv] = "udiv", [LLVMSDiv] = "sdiv", [LLVMFDiv] = "fdiv", [LLVMURem] = "urem",
      [LLVMSRem] = "srem", [LLVMFRem] = "frem", [LLVMShl] = "shl", [LLVMLShr] = "lshr", [LLVMAShr] = "ashr",
      [LLVMAnd] = "and", [LLVMOr] = "or", [LLVMXor] = "xor", [LLVMAlloca] = "alloca", [LLVMLoad] = "load",
      [LLVMStore] = "store", [LLVMGetElementPtr] = "getelementptr", [LLVMTrunc] = "trunc", [LLVMZExt] = "zext",
      [LLVMSExt] = "sext", [LLVMFPToUI] = "fptoui", [LLVMFPToSI] = "fptosi", [LLVMUIToFP] = "uitofp",
      [LLVMSIToFP] = "sitofp", [LLVMFPTrunc] = "fptrunc", [LLVMFPExt] = "fpext", [LLVMPtrToInt] = "ptrtoint",
      [LLVMPtrToAddr] = "ptrtoaddr", [LLVMIntToPtr] = "inttoptr", [LLVMBitCast] = "bitcast",
      [LLVMAddrSpaceCast] = "addrspacecast", [LLVMICmp] = "icmp", [LLVMFCmp] = "fcmp", [LLVMPHI] = "phi",
      [LLVMCall] = "call", [LLVMSelect] = "select", [LLVMVAArg] = "va_arg", [LLVMExtractElement] = "extractelement",
      [LLVMInsertElement] = "insertelement", [LLVMShuffleVector] = "shufflevector", [LLVMExtractValue] = "extractvalue",
      [LLVMInsertValue] = "insertvalue", [LLVMFreeze] = "freeze", [LLVMFence] = "fence",
      [LLVMAtomicCmpXchg] = "cmpxchg", [LLVMAtomicRMW] = "atomicrmw", [LLVMResume] = "resume",
      [LLVMLandingPad] = "landingpad", [LLVMCleanupRet] = "cleanupret", [LLVMCatchRet] = "catchret",
      [LLVMCatchPad] = "catchpad", [LLVMCleanupPad] = "cleanuppad", [LLVMCatchSwitch] = "catchswitch")

#define ORDERING(name) [LLVMAtomicOrdering##name]
WORDS(ir_orderings, 0, ORDERING(Unordered) = "unordered", ORDERING(Monotonic) = "monotonic",
      ORDERING(Acquire) = "acquire", ORDERING(Release) = "release", ORDERING(AcquireRelease) = "acq_rel",
      ORDERING(SequentiallyConsistent) = "seq_cst")

#define OPERATION(name) [LLVMAtomicRMWBinOp##name]
WORDS(ir_operations, 0, OPERATION(Xchg) = "xchg", OPERATION(Add) = "add", OPERATION(Sub) = "sub",
      OPERATION(And) = "and", OPERATION(Nand) = "nand", OPERATION(Or) = "or", OPERATION(Xor) = "xor",
      OPERATION(Max) = "max", OPERATION(Min) = "min", OPERATION(UMax) = "umax", OPERATION(UMin) = "umin",
      OPERATION(FAdd) = "fadd", OPERATION(FSub) = "fsub", OPERATION(FMax) = "fmax", OPERATION(FMin) = "fmin",
      OPERATION(UIncWrap) = "uinc_wrap", OPERATION(UDecWrap) = "udec_wrap", OPERATION(USubCond) = "usub_cond",
      OPERATION(USubSat) = "usub_sat", OPERATION(FMaximum) = "fmaximum", OPERATION(FMinimum) = "fminimum")

#define INTEGERS(name) [LLVMInt##name - LLVMIntEQ]
WORDS(ir_int_predicates, LLVMIntEQ, INTEGERS(EQ) = "eq", INTEGERS(NE) = "ne", INTEGERS(UGT) = "ugt",
      INTEGERS(UGE) = "uge", INTEGERS(ULT) = "ult", INTEGERS(ULE) = "ule", INTEGERS(SGT) = "sgt", INTEGERS(SGE) = "sge",
      INTEGERS(SLT) = "slt", INTEGERS(SLE) = "sle")

WORDS(ir_real_predicates, 0, [LLVMRealPredicateFalse] = "false", [LLVMRealOEQ] = "oeq", [LLVMRealOGT] = "ogt",
      [LLVMRealOGE] = "oge", [LLVMRealOLT] = "olt", [LLVMRealOLE] = "ole", [LLVMRealONE] = "one", [LLVMRealORD] = "ord",
      [LLVMRealUNO] = "uno", [LLVMRealUEQ] = "ueq", [LLVMRealUGT] = "ugt", [LLVMRealUGE] = "uge", [LLVMRealULT] = "ult",
      [LLVMRealULE] = "ule", [LLVMRealUNE] = "une", [LLVMRealPredicateTrue] = "true")

WORDS(ir_linkages, 0, [LLVMExternalLinkage] = "external", [LLVMAvailableExternallyLinkage] = "available_externally",
      [LLVMLinkOnceAnyLinkage] = "linkonce", [LLVMLinkOnceODRLinkage] = "linkonce_odr", [LLVMWeakAnyLinkage] = "weak",
      [LLVMWeakODRLinkage] = "weak_odr", [LLVMAppendingLinkage] = "appending", [LLVMInternalLinkage] = "internal",
      [LLVMPrivateLinkage] = "private", [LLVMExternalWeakLinkage] = "extern_weak", [LLVMCommonLinkage] = "common")

WORDS(
    ir_visibilities,
    0, [LLVMDefaultVisibility] = "default", [LLVMHiddenVisibility] = "hidden", [LLVMProtectedVisibility] = "protected")

WORDS(ir_tail_markers, 0, [LLVMTailCallKindNone] = "", [LLVMTailCallKindTail] = "tail",
      [LLVMTailCallKindMustTail] = "musttail", [LLVMTailCallKindNoTail] = "notail")

/* LLVM-C has no names for some conventions. */
WORDS(ir_conventions, 0, [LLVMCCallConv] = "ccc", [LLVMFastCallConv] = "fastcc", [LLVMColdCallConv] = "coldcc",
      [LLVMGHCCallConv] = "ghccc", [LLVMAnyRegCallConv] = "anyregcc", [LLVMPreserveMostCallConv] = "preserve_mostcc",
      [LLVMPreserveAllCallConv] = "preserve_allcc", [LLVMSwiftCallConv] = "swiftcc",
      [LLVMCXXFASTTLSCallConv] = "cxx_fast_tlscc", [18] = "tailcc", [19] = "cfguard_checkcc", [20] = "swifttailcc",
      [21] = "preserve_nonecc")

WORDS(ir_constant_kinds, 0, [LLVMBlockAddressValueKind] = "blockaddress", [LLVMConstantExprValueKind] = "expression",
      [LLVMConstantArrayValueKind] = "array", [LLVMConstantDataArrayValueKind] = "array",
      [LLVMConstantStructValueKind] = "struct", [LLVMConstantVectorValueKind] = "vector",
      [LLVMConstantDataVectorValueKind] = "vector", [LLVMUndefValueValueKind] = "undef",
      [LLVMPoisonValueValueKind] = "poison", [LLVMConstantAggregateZeroValueKind] = "zeroinitializer",
      [LLVMConstantIntValueKind] = "integer", [LLVMConstantFPValueKind] = "float",
      [LLVMConstantPointerNullValueKind] = "null", [LLVMConstantTokenNoneValueKind] = "none",
      [LLVMConstantPtrAuthValueKind] = "ptrauth")

const char *ir_keyword(const struct ir_keywords *of, int number)
{
  return number < of->first || number - of->first >= of->count ? NULL : of->keywords[number - of->first];
}

int ir_keyword_number(const struct ir_keywords *of, const char *keyword)
{
  for (int i = 0; i < of->count; i++)
    if (of->keywords[i] && !strcmp(of->keywords[i], keyword))
      return of->first + i;
  return -1;
}
