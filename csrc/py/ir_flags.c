/* Flags of an instruction or constant expression, as the keywords of textual IR. LLVM-C is only called for opcodes that
   may have the flag.
   Requires: the module locked. */
#include "ir_building.h"
#include "ir_keywords.h"

/* The possible flags of each opcode, in the order of textual IR. Builders set those that have a bit. */
static const struct flag {
  LLVMOpcode opcode;
  const char *word;
  LLVMBool (*get)(LLVMValueRef value);
  void (*set)(LLVMValueRef value, LLVMBool on);
  unsigned bit;
} flags[] = {
    {LLVMAdd, "nuw", LLVMGetNUW, LLVMSetNUW, IR_NUW},
    {LLVMAdd, "nsw", LLVMGetNSW, LLVMSetNSW, IR_NSW},
    {LLVMSub, "nuw", LLVMGetNUW, LLVMSetNUW, IR_NUW},
    {LLVMSub, "nsw", LLVMGetNSW, LLVMSetNSW, IR_NSW},
    {LLVMMul, "nuw", LLVMGetNUW, LLVMSetNUW, IR_NUW},
    {LLVMMul, "nsw", LLVMGetNSW, LLVMSetNSW, IR_NSW},
    {LLVMShl, "nuw", LLVMGetNUW, LLVMSetNUW, IR_NUW},
    {LLVMShl, "nsw", LLVMGetNSW, LLVMSetNSW, IR_NSW},
    {LLVMTrunc, "nuw", LLVMGetNUW, LLVMSetNUW, IR_NUW},
    {LLVMTrunc, "nsw", LLVMGetNSW, LLVMSetNSW, IR_NSW},
    {LLVMUDiv, "exact", LLVMGetExact, LLVMSetExact, IR_EXACT},
    {LLVMSDiv, "exact", LLVMGetExact, LLVMSetExact, IR_EXACT},
    {LLVMLShr, "exact", LLVMGetExact, LLVMSetExact, IR_EXACT},
    {LLVMAShr, "exact", LLVMGetExact, LLVMSetExact, IR_EXACT},
    {LLVMZExt, "nneg", LLVMGetNNeg, LLVMSetNNeg, IR_NNEG},
    {LLVMUIToFP, "nneg", LLVMGetNNeg, LLVMSetNNeg, IR_NNEG},
    {LLVMOr, "disjoint", LLVMGetIsDisjoint, LLVMSetIsDisjoint, IR_DISJOINT},
    {LLVMICmp, "samesign", LLVMGetICmpSameSign, NULL, 0},
    {LLVMLoad, "volatile", LLVMGetVolatile, NULL, 0},
    {LLVMStore, "volatile", LLVMGetVolatile, NULL, 0},
    {LLVMAtomicRMW, "volatile", LLVMGetVolatile, NULL, 0},
    {LLVMAtomicCmpXchg, "weak", LLVMGetWeak, NULL, 0},
    {LLVMAtomicCmpXchg, "volatile", LLVMGetVolatile, NULL, 0},
    {LLVMLandingPad, "cleanup", LLVMIsCleanup, NULL, 0},
};

unsigned ir_flags_of_opcode(LLVMOpcode opcode)
{
  unsigned all = 0;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    all |= flags[i].opcode == opcode ? flags[i].bit : 0;
  return all;
}

void ir_set_flags_if_instruction(LLVMValueRef built, LLVMOpcode opcode, unsigned set)
{
  for (size_t i = 0; LLVMIsAInstruction(built) && i < sizeof flags / sizeof *flags; i++)
    if (flags[i].opcode == opcode && set & flags[i].bit)
      flags[i].set(built, true);
}

/* -1 with an exception set. */
static int append_flag_if(PyObject *list, const char *word, bool there)
{
  PyObject *text = there ? core_make_str(word) : NULL;
  int failed = there && (!text || PyList_Append(list, text) < 0);
  Py_XDECREF(text);
  return failed ? -1 : 0;
}

static int add_opcode_flags(PyObject *list, LLVMValueRef value, LLVMOpcode opcode)
{
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (flags[i].opcode == opcode && append_flag_if(list, flags[i].word, flags[i].get(value)) < 0)
      return -1;
  return 0;
}

struct bit {
  unsigned bit;
  const char *word;
};

static int append_names_of_set_bits(PyObject *list, unsigned set, const struct bit *bits, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (append_flag_if(list, bits[i].word, set & bits[i].bit) < 0)
      return -1;
  return 0;
}

/* `inbounds` implies `nusw`, which textual IR then omits. */
static int add_gep_flags(PyObject *list, LLVMValueRef gep)
{
  static const struct bit bits[] = {
      {LLVMGEPFlagInBounds, "inbounds"}, {LLVMGEPFlagNUSW, "nusw"}, {LLVMGEPFlagNUW, "nuw"}};
  unsigned set = LLVMGEPGetNoWrapFlags(gep);
  if (set & LLVMGEPFlagInBounds)
    set &= ~(unsigned)LLVMGEPFlagNUSW;
  return append_names_of_set_bits(list, set, bits, sizeof bits / sizeof *bits);
}

static int add_fast_math_flags(PyObject *list, LLVMValueRef value)
{
  static const struct bit bits[] = {{LLVMFastMathAllowReassoc, "reassoc"}, {LLVMFastMathNoNaNs, "nnan"},
                                    {LLVMFastMathNoInfs, "ninf"},          {LLVMFastMathNoSignedZeros, "nsz"},
                                    {LLVMFastMathAllowReciprocal, "arcp"}, {LLVMFastMathAllowContract, "contract"},
                                    {LLVMFastMathApproxFunc, "afn"}};
  if (!LLVMCanValueUseFastMathFlags(value))
    return 0;
  unsigned set = LLVMGetFastMathFlags(value);
  return set == LLVMFastMathAll ? append_flag_if(list, "fast", true)
                                : append_names_of_set_bits(list, set, bits, sizeof bits / sizeof *bits);
}

static int add_tail_call_flag(PyObject *list, LLVMValueRef call)
{
  LLVMTailCallKind kind = LLVMGetTailCallKind(call);
  return append_flag_if(list, ir_keyword(&ir_tail_markers, (int)kind), kind != LLVMTailCallKindNone);
}

PyObject *ir_get_flags(struct value_object *self)
{
  bool instruction = self->kind == IR_INSTRUCTION;
  LLVMOpcode opcode = instruction                        ? LLVMGetInstructionOpcode(self->value)
                      : LLVMIsAConstantExpr(self->value) ? LLVMGetConstOpcode(self->value)
                                                         : 0;
  PyObject *list = PyList_New(0);
  int failed = list ? 0 : -1;
  if (!failed && opcode == LLVMGetElementPtr)
    failed = add_gep_flags(list, self->value);
  if (!failed && instruction)
    failed = add_opcode_flags(list, self->value, opcode);
  if (!failed && instruction)
    failed = add_fast_math_flags(list, self->value);
  if (!failed && instruction && opcode == LLVMCall)
    failed = add_tail_call_flag(list, self->value);
  PyObject *tuple = failed ? NULL : PyList_AsTuple(list);
  Py_XDECREF(list);
  return tuple;
}
