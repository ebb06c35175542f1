/* Constant folding under an assumption: if one value is a given constant, computes the constant that a dependent
   value is, and the successor that a terminator takes. LLVM's builder folds each operation, so integers of every
   width are folded as LLVM folds them. Flags (nuw, nsw, exact, nneg, disjoint, samesign) are ignored unless a freeze
   uses the result: if one does not hold, the result is poison, and a branch on poison is undefined behavior, so any
   successor is correct. A freeze of poison has an arbitrary value, which other users of the freeze observe. */
#include "ir/constant_fold.h"

#include <string.h>

#include "base/starts_with.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "llvm-c/Target.h"

struct folding {
  LLVMValueRef source, constant;
  LLVMBuilderRef builder; /* unpositioned: it folds, and inserts nothing; NULL before the first operation */
  LLVMTypeRef address;    /* the integer type that represents pointers */
  unsigned steps;
  unsigned freezes; /* around the value that is folded */
};

/* Intrinsics that return one of their two operands: the first if the predicate holds. */
static const struct intrinsic_predicate {
  const char *name;
  LLVMIntPredicate first;
} choices[] = {
    {"llvm.smax.", LLVMIntSGT}, {"llvm.smin.", LLVMIntSLT}, {"llvm.umax.", LLVMIntUGT}, {"llvm.umin.", LLVMIntULT}};

/* Three-way comparisons, which return -1 if the predicate holds. */
static const struct intrinsic_predicate orders[] = {{"llvm.scmp.", LLVMIntSLT}, {"llvm.ucmp.", LLVMIntULT}};

static bool is_integer(LLVMValueRef value)
{
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
}

static bool is_pointer(LLVMValueRef value)
{
  return edit_is_pointer(LLVMTypeOf(value));
}

static bool is_vector(LLVMValueRef value)
{
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

static bool is_float_type(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMX86_FP80TypeKind:
  case LLVMFP128TypeKind:
  case LLVMPPC_FP128TypeKind: return true;
  case LLVMVectorTypeKind: return is_float_type(LLVMGetElementType(type));
  default: return false;
  }
}

/* Integers, floating-point numbers, fixed vectors of them, and pointers with an address as their bits. */
static bool is_foldable_type(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: return true;
  case LLVMPointerTypeKind: return !LLVMGetPointerAddressSpace(type);
  case LLVMVectorTypeKind:
    return LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind || is_float_type(type);
  default: return is_float_type(type);
  }
}

/* Constants with a known value. Elements of a vector may be poison. */
static bool is_known_constant(LLVMValueRef value)
{
  return LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value) ||
         (is_pointer(value) && LLVMIsAConstantPointerNull(value)) ||
         (is_vector(value) && (LLVMIsAConstantDataVector(value) || LLVMIsAConstantVector(value) ||
                               LLVMIsAConstantAggregateZero(value) || LLVMIsAPoisonValue(value)));
}

static const struct intrinsic_predicate *
find_predicate_of_intrinsic_call(LLVMValueRef call, const struct intrinsic_predicate *first, size_t count)
{
  LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
  if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
    return NULL;
  const char *name = edit_value_name(callee);
  for (size_t i = 0; i < count; i++)
    if (coro_starts_with(name, first[i].name))
      return &first[i];
  return NULL;
}

/* Intrinsics that return their first operand, and are hints only. */
static const struct intrinsic_predicate hints[] = {{"llvm.expect.i", LLVMIntEQ}};

static bool is_call_of_llvm_expect(LLVMValueRef call)
{
  return find_predicate_of_intrinsic_call(call, hints, sizeof hints / sizeof *hints);
}

static const struct intrinsic_predicate *find_minmax_predicate(LLVMValueRef call)
{
  return find_predicate_of_intrinsic_call(call, choices, sizeof choices / sizeof *choices);
}

static const struct intrinsic_predicate *find_cmp_intrinsic_predicate(LLVMValueRef call)
{
  return find_predicate_of_intrinsic_call(call, orders, sizeof orders / sizeof *orders);
}

/* The number of operands to fold; 0: the instruction is not folded. */
static unsigned foldable_operand_count(LLVMValueRef instruction)
{
  if (LLVMIsACastInst(instruction))
    return 1;
  if (LLVMIsABinaryOperator(instruction))
    return 2;
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMFNeg: return 1;
  case LLVMFreeze: return is_vector(instruction) ? 0 : 1; /* an element that is poison would get a value */
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMExtractElement: return 2;
  case LLVMSelect: return is_integer(LLVMGetOperand(instruction, SELECT_CONDITION)) ? 3 : 0;
  case LLVMInsertElement: return 3;
  case LLVMCall:
    return is_integer(instruction) && (find_minmax_predicate(instruction) ||
                                       find_cmp_intrinsic_predicate(instruction) || is_call_of_llvm_expect(instruction))
               ? 2
               : 0;
  default: return 0;
  }
}

/* Whether the function's floating-point operations treat subnormal numbers otherwise than LLVM's builder. */
static bool has_denormal_attribute(LLVMValueRef function)
{
  return edit_has_string_attribute(function, "denormal-fp-math") ||
         edit_has_string_attribute(function, "denormal-fp-math-f32");
}

bool constant_fold_supports_instruction(LLVMValueRef instruction)
{
  bool is_float = is_float_type(LLVMTypeOf(instruction));
  unsigned count = is_foldable_type(LLVMTypeOf(instruction)) ? foldable_operand_count(instruction) : 0;
  for (unsigned i = 0; i < count; i++) {
    if (!is_foldable_type(LLVMTypeOf(LLVMGetOperand(instruction, i))))
      return false;
    is_float |= is_float_type(LLVMTypeOf(LLVMGetOperand(instruction, i)));
  }
  return count > 0 && !(is_float && has_denormal_attribute(edit_function_of(instruction)));
}

/* Whether the value, an operation that is folded here or a constant, may be undef or poison although its operands are
   not: because of a flag, an attribute or an element. A result that is poison without these is not folded. */
static bool may_be_undef_or_poison_by_flag_or_element(LLVMValueRef value)
{
  if (LLVMIsAConstant(value))
    return LLVMIsUndef(value) || LLVMIsAConstantVector(value);
  if (!edit_is_instruction(value))
    return false;
  if (LLVMCanValueUseFastMathFlags(value) && LLVMGetFastMathFlags(value) & (LLVMFastMathNoNaNs | LLVMFastMathNoInfs))
    return true;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMTrunc: return LLVMGetNUW(value) || LLVMGetNSW(value);
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMLShr:
  case LLVMAShr: return LLVMGetExact(value);
  case LLVMZExt:
  case LLVMUIToFP: return LLVMGetNNeg(value);
  case LLVMOr: return LLVMGetIsDisjoint(value);
  case LLVMICmp: return LLVMGetICmpSameSign(value);
  case LLVMCall: return true; /* attributes and metadata, such as a range */
  default: return false;
  }
}

static LLVMValueRef fold_integer_comparison(const struct folding *f, LLVMIntPredicate predicate, LLVMValueRef a,
                                            LLVMValueRef b)
{
  return LLVMBuildICmp(f->builder, predicate, a, b, "");
}

static LLVMValueRef fold_intrinsic_call(const struct folding *f, LLVMValueRef call, const LLVMValueRef *operands)
{
  const struct intrinsic_predicate *choice = find_minmax_predicate(call), *order = find_cmp_intrinsic_predicate(call);
  if (is_call_of_llvm_expect(call))
    return operands[0];
  if (choice)
    return operands
        [edit_is_nonzero_integer_constant(fold_integer_comparison(f, choice->first, operands[0], operands[1])) ? 0 : 1];
  LLVMTypeRef type = LLVMTypeOf(call);
  if (operands[0] == operands[1]) /* constants are unique in a context */
    return LLVMConstInt(type, 0, false);
  bool below = edit_is_nonzero_integer_constant(fold_integer_comparison(f, order->first, operands[0], operands[1]));
  return LLVMConstInt(type, below ? UINT64_MAX : 1, true);
}

static LLVMValueRef fold_cast(const struct folding *f, LLVMValueRef cast, LLVMValueRef operand)
{
  if (is_pointer(cast) || is_pointer(LLVMGetOperand(cast, 0)))
    return LLVMBuildIntCast2(f->builder, operand, is_pointer(cast) ? f->address : LLVMTypeOf(cast), false, "");
  return LLVMBuildCast(f->builder, LLVMGetInstructionOpcode(cast), operand, LLVMTypeOf(cast), "");
}

/* The result for constant operands; poison, for example, for a division by zero. */
static LLVMValueRef fold_instruction(const struct folding *f, LLVMValueRef instruction, const LLVMValueRef *operands)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  switch (opcode) {
  case LLVMFNeg: return LLVMBuildFNeg(f->builder, operands[0], "");
  case LLVMICmp:
    return fold_integer_comparison(f, LLVMGetICmpPredicate(instruction), operands[COMPARE_LEFT],
                                   operands[COMPARE_RIGHT]);
  case LLVMFCmp:
    return LLVMBuildFCmp(f->builder, LLVMGetFCmpPredicate(instruction), operands[COMPARE_LEFT], operands[COMPARE_RIGHT],
                         "");
  case LLVMExtractElement: return LLVMBuildExtractElement(f->builder, operands[0], operands[1], "");
  case LLVMInsertElement: return LLVMBuildInsertElement(f->builder, operands[0], operands[1], operands[2], "");
  case LLVMCall: return fold_intrinsic_call(f, instruction, operands);
  default:
    return LLVMIsACastInst(instruction) ? fold_cast(f, instruction, operands[0])
                                        : LLVMBuildBinOp(f->builder, opcode, operands[0], operands[1], "");
  }
}

static void create_builder_if_missing(struct folding *f, LLVMValueRef instruction)
{
  if (f->builder)
    return;
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
  LLVMModuleRef module = LLVMGetGlobalParent(edit_function_of(instruction));
  f->builder = LLVMCreateBuilderInContext(context);
  f->address = LLVMIntPtrTypeInContext(context, LLVMGetModuleDataLayout(module));
}

static LLVMValueRef fold_value_to_constant(struct folding *f, LLVMValueRef value);

/* Only the selected operand must be known. */
static LLVMValueRef fold_select(struct folding *f, LLVMValueRef select)
{
  LLVMValueRef condition = fold_value_to_constant(f, LLVMGetOperand(select, SELECT_CONDITION));
  unsigned chosen = condition && LLVMIsNull(condition) ? SELECT_FALSE : SELECT_TRUE;
  return condition ? fold_value_to_constant(f, LLVMGetOperand(select, chosen)) : NULL;
}

static LLVMValueRef fold_freeze(struct folding *f, LLVMValueRef freeze)
{
  f->freezes++;
  LLVMValueRef folded = fold_value_to_constant(f, LLVMGetOperand(freeze, FIRST_OPERAND));
  f->freezes--;
  return folded;
}

static LLVMValueRef fold_value_to_constant(struct folding *f, LLVMValueRef value)
{
  LLVMValueRef operands[3] = {NULL, NULL, NULL};
  if (value == f->source)
    value = f->constant;
  if (f->freezes && value && may_be_undef_or_poison_by_flag_or_element(value))
    return NULL;
  if (!value || is_known_constant(value))
    return value && is_pointer(value) && f->address ? LLVMConstNull(f->address) : value;
  if (!edit_is_instruction(value) || ++f->steps > CONSTANT_FOLD_STEPS || !constant_fold_supports_instruction(value))
    return NULL;
  create_builder_if_missing(f, value);
  if (LLVMIsASelectInst(value))
    return fold_select(f, value);
  if (LLVMIsAFreezeInst(value))
    return fold_freeze(f, value);
  for (unsigned i = 0; i < foldable_operand_count(value); i++)
    if (!(operands[i] = fold_value_to_constant(f, LLVMGetOperand(value, i))))
      return NULL;
  LLVMValueRef folded = fold_instruction(f, value, operands);
  if (edit_is_instruction(folded)) { /* the builder did not fold it */
    LLVMDeleteInstruction(folded);
    return NULL;
  }
  return is_known_constant(folded) ? folded : NULL;
}

LLVMValueRef constant_fold_to_integer_assuming(LLVMValueRef value, LLVMValueRef source, LLVMValueRef constant)
{
  struct folding f = {.source = source, .constant = constant};
  LLVMValueRef folded = fold_value_to_constant(&f, value);
  if (f.builder)
    LLVMDisposeBuilder(f.builder);
  return folded && is_integer(value) && LLVMIsAConstantInt(folded) ? folded : NULL;
}

/* *source is the source found so far. False: there is more than one, or CONSTANT_FOLD_STEPS are exceeded. */
static bool find_single_variable_source(LLVMValueRef value, LLVMValueRef *source, unsigned *steps)
{
  if (is_known_constant(value) || value == *source)
    return true;
  if (!edit_is_instruction(value) || !constant_fold_supports_instruction(value)) {
    bool first = !*source;
    *source = value;
    return first;
  }
  if (++*steps > CONSTANT_FOLD_STEPS)
    return false;
  for (unsigned i = 0; i < foldable_operand_count(value); i++)
    if (!find_single_variable_source(LLVMGetOperand(value, i), source, steps))
      return false;
  return true;
}

LLVMValueRef constant_fold_single_source_or_null(LLVMValueRef value)
{
  LLVMValueRef source = NULL;
  unsigned steps = 0;
  return find_single_variable_source(value, &source, &steps) ? source : NULL;
}

LLVMValueRef constant_successor_single_source_or_null(LLVMValueRef terminator)
{
  LLVMValueRef chosen = flow_branch_operand(terminator);
  return chosen ? constant_fold_single_source_or_null(chosen) : NULL;
}

LLVMValueRef constant_successor_own_phi_or_null(LLVMBasicBlockRef block)
{
  LLVMValueRef source = constant_successor_single_source_or_null(LLVMGetBasicBlockTerminator(block));
  return source && LLVMIsAPHINode(source) && LLVMGetInstructionParent(source) == block ? source : NULL;
}

static unsigned successor_index_for_constant(LLVMValueRef terminator, LLVMValueRef constant)
{
  if (!LLVMIsASwitchInst(terminator))
    return LLVMIsNull(constant) ? 1 : 0;
  for (unsigned i = 1; i < LLVMGetNumSuccessors(terminator); i++)
    if (LLVMGetSwitchCaseValue(terminator, i) == constant) /* LLVM uniques constants per context */
      return i;
  return 0;
}

LLVMValueRef constant_branch_operand_or_null(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant)
{
  LLVMValueRef chosen = flow_branch_operand(terminator);
  return chosen ? constant_fold_to_integer_assuming(chosen, source, constant) : NULL;
}

unsigned constant_successor_or_unknown(LLVMValueRef terminator, LLVMValueRef source, LLVMValueRef constant)
{
  LLVMValueRef known = constant_branch_operand_or_null(terminator, source, constant);
  return known ? successor_index_for_constant(terminator, known) : CONSTANT_SUCCESSOR_UNKNOWN;
}
