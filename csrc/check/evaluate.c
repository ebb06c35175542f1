/* Values and successors that depend on a constant.
   Requires: LLVM-C. Guarantees: the IR is unchanged. */
#include "check/evaluate.h"

#include <stdint.h>

#include "ir/constant_fold.h"
#include "ir/flow.h"
#include "ir/integer.h"
#include "ir/operand.h"

struct evaluation {
  LLVMValueRef source, constant; /* `source` is `constant` */
  unsigned steps;                /* left */
  bool frozen;                   /* a freeze uses the value */
};

/* Bits of an integer type; 0: another type, or more than 64. */
static unsigned integer_width_up_to_64_or_zero(LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
  return width <= 64 ? width : 0;
}

static uint64_t truncate_to(uint64_t value, unsigned width)
{
  return value & (uint64_t)integer_mask(width);
}

/* The result of a binary operation, before it is truncated to the type. False: it is not computed here. */
static bool compute_untruncated_binary_operation(LLVMOpcode opcode, uint64_t a, uint64_t b, unsigned width,
                                                 uint64_t *result)
{
  bool shifts = opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr;
  if (shifts && b >= width)
    return false;
  switch (opcode) {
  case LLVMAdd: *result = a + b; return true;
  case LLVMSub: *result = a - b; return true;
  case LLVMMul: *result = a * b; return true;
  case LLVMAnd: *result = a & b; return true;
  case LLVMOr: *result = a | b; return true;
  case LLVMXor: *result = a ^ b; return true;
  case LLVMShl: *result = a << b; return true;
  case LLVMLShr: *result = a >> b; return true;
  case LLVMAShr: *result = (uint64_t)(integer_signed(a, width) >> b); return true;
  default: return false;
  }
}

/* Whether the result of an instruction is not poison if its operands are not; false: unknown. The result of a shift by
   too many bits is not computed here. */
static bool creates_no_poison(LLVMValueRef inst)
{
  switch (LLVMGetInstructionOpcode(inst)) {
  case LLVMAnd:
  case LLVMXor:
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMSExt:
  case LLVMBitCast:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMSIToFP: return true;
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMTrunc: return !LLVMGetNUW(inst) && !LLVMGetNSW(inst);
  case LLVMLShr:
  case LLVMAShr: return !LLVMGetExact(inst);
  case LLVMOr: return !LLVMGetIsDisjoint(inst);
  case LLVMZExt:
  case LLVMUIToFP: return !LLVMGetNNeg(inst);
  case LLVMICmp: return !LLVMGetICmpSameSign(inst);
  case LLVMFCmp:
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFDiv: return LLVMGetFastMathFlags(inst) == LLVMFastMathNone;
  default: return false;
  }
}

static bool evaluate(struct evaluation *e, LLVMValueRef value, uint64_t *result);

static bool evaluate_integer_operation(struct evaluation *e, LLVMValueRef inst, uint64_t *result)
{
  uint64_t a, b;
  LLVMValueRef first = LLVMGetOperand(inst, FIRST_OPERAND);
  unsigned width = integer_width_up_to_64_or_zero(inst), from = integer_width_up_to_64_or_zero(first);
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  if (!width || !from || !evaluate(e, first, &a))
    return false;
  switch (opcode) {
  case LLVMZExt:
  case LLVMTrunc:
  case LLVMFreeze: *result = truncate_to(a, width); return true;
  case LLVMSExt: *result = truncate_to((uint64_t)integer_signed(a, from), width); return true;
  case LLVMSelect: return evaluate(e, LLVMGetOperand(inst, a ? SELECT_TRUE : SELECT_FALSE), result);
  default: break;
  }
  if (LLVMGetNumOperands(inst) != 2 || !evaluate(e, LLVMGetOperand(inst, SECOND_OPERAND), &b))
    return false;
  if (opcode == LLVMICmp) {
    *result = integer_compare(LLVMGetICmpPredicate(inst), a, b, from);
    return true;
  }
  bool computed = compute_untruncated_binary_operation(opcode, a, b, width, result);
  *result = computed ? truncate_to(*result, width) : 0;
  return computed;
}

static bool evaluate(struct evaluation *e, LLVMValueRef value, uint64_t *result)
{
  if (value == e->source)
    value = e->constant;
  if (LLVMIsAConstantInt(value) && integer_width_up_to_64_or_zero(value)) {
    *result = LLVMConstIntGetZExtValue(value);
    return true;
  }
  bool computes = LLVMIsABinaryOperator(value) || LLVMIsACastInst(value) || LLVMIsAICmpInst(value) ||
                  LLVMIsASelectInst(value) || LLVMIsAFreezeInst(value);
  if (!computes || !e->steps || (e->frozen && !creates_no_poison(value)))
    return false;
  e->steps--;
  bool outer = e->frozen;
  e->frozen |= LLVMIsAFreezeInst(value) != NULL;
  bool computed = evaluate_integer_operation(e, value, result);
  e->frozen = outer;
  return computed;
}

/* ---- Values that the machine may choose ---- */

static bool has_undefined_element(LLVMValueRef constant)
{
  if (LLVMIsUndef(constant)) /* or poison */
    return true;
  for (int i = 0; LLVMIsAConstantVector(constant) && i < LLVMGetNumOperands(constant); i++)
    if (LLVMIsUndef(LLVMGetOperand(constant, (unsigned)i)))
      return true;
  return false;
}

/* Bits of the stored fraction of bfloat, half, float and double; 0: another type. */
static unsigned fraction_bits_of_float_or_zero(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMBFloatTypeKind: return 7;
  case LLVMHalfTypeKind: return 10;
  case LLVMFloatTypeKind: return 23;
  case LLVMDoubleTypeKind: return 52;
  default: return 0;
  }
}

/* Whether the bits that a bitcast reads are those of no NaN, whose sign and payload LLVM leaves open. */
static bool is_bitcast_of_no_nan(const struct evaluation *e, LLVMValueRef bitcast)
{
  LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(bitcast, CAST_SOURCE));
  LLVMTypeKind kind = LLVMGetTypeKind(from);
  unsigned width = integer_width_up_to_64_or_zero(bitcast), fraction = fraction_bits_of_float_or_zero(from);
  if (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind ||
      (kind == LLVMVectorTypeKind && LLVMGetTypeKind(LLVMGetElementType(from)) == LLVMIntegerTypeKind))
    return true;
  LLVMValueRef folded = width && fraction ? constant_fold_to_integer_assuming(bitcast, e->source, e->constant) : NULL;
  if (!folded)
    return false;
  uint64_t magnitude = LLVMConstIntGetZExtValue(folded) & truncate_to(UINT64_MAX, width - 1);
  return magnitude <= (truncate_to(UINT64_MAX, width - 1) & ~truncate_to(UINT64_MAX, fraction)); /* infinity */
}

static bool is_never_undef_or_poison(struct evaluation *e, LLVMValueRef value)
{
  if (value == e->source)
    value = e->constant;
  if (LLVMIsAConstant(value))
    return !has_undefined_element(value);
  if (!LLVMIsAInstruction(value) || !e->steps || (e->frozen && !creates_no_poison(value)))
    return false;
  e->steps--;
  bool outer = e->frozen;
  e->frozen |= LLVMIsAFreezeInst(value) != NULL;
  bool holds = true;
  for (int i = 0; i < LLVMGetNumOperands(value) && holds; i++)
    holds = is_never_undef_or_poison(e, LLVMGetOperand(value, (unsigned)i));
  e->frozen = outer;
  return holds && (!LLVMIsABitCastInst(value) || is_bitcast_of_no_nan(e, value));
}

bool evaluate_is_never_undef_or_poison(LLVMValueRef value, LLVMValueRef source, LLVMValueRef constant)
{
  struct evaluation e = {source, constant, CONSTANT_FOLD_STEPS, false};
  return is_never_undef_or_poison(&e, value);
}

/* ---- Results ---- */

unsigned evaluate_successor(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant)
{
  struct evaluation e = {source, constant, CONSTANT_FOLD_STEPS, false};
  LLVMValueRef decides = flow_branch_operand(terminator);
  uint64_t value;
  if (!decides || (source && !constant) || !evaluate(&e, decides, &value))
    return constant_successor_or_unknown(terminator, source, constant);
  if (!LLVMIsASwitchInst(terminator))
    return value ? 0 : 1;
  for (unsigned i = 1; i < LLVMGetNumSuccessors(terminator); i++)
    if (LLVMConstIntGetZExtValue(LLVMGetSwitchCaseValue(terminator, i)) == value)
      return i;
  return 0;
}

unsigned evaluate_successor_if_never_undef(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef value)
{
  return LLVMIsAConstantInt(value) && evaluate_is_never_undef_or_poison(flow_branch_operand(terminator), source, value)
             ? evaluate_successor(terminator, source, value)
             : CONSTANT_SUCCESSOR_UNKNOWN;
}

LLVMValueRef evaluate_value(LLVMValueRef value, LLVMValueRef source, LLVMValueRef constant)
{
  struct evaluation e = {source, constant, CONSTANT_FOLD_STEPS, false};
  uint64_t result;
  return evaluate(&e, value, &result) ? LLVMConstInt(LLVMTypeOf(value), result, false)
                                      : constant_fold_to_integer_assuming(value, source, constant);
}
