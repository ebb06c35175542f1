/* Queries of instructions for data other than operands: predicate, indices, types, alignment, ordering. LLVM-C is only
   called for opcodes that have the data.
   Requires: the module locked.
   Guarantees: None for other instructions. */
#include "ir.h"

static PyObject *none_detail(void)
{
  return Py_NewRef(Py_None);
}

/* The name of an enum value, or None if the table has none. */
static PyObject *text_of(const char *const *texts, size_t count, unsigned number)
{
  return number < count && texts[number] ? core_text(texts[number]) : none_detail();
}
#define TEXT_OF(texts, number) text_of(texts, sizeof(texts) / sizeof *(texts), (unsigned)(number))

PyObject *ir_get_predicate(struct value_object *self)
{
  static const char *const integers[] = {
      [LLVMIntEQ] = "eq",   [LLVMIntNE] = "ne",   [LLVMIntUGT] = "ugt", [LLVMIntUGE] = "uge", [LLVMIntULT] = "ult",
      [LLVMIntULE] = "ule", [LLVMIntSGT] = "sgt", [LLVMIntSGE] = "sge", [LLVMIntSLT] = "slt", [LLVMIntSLE] = "sle"};
  static const char *const reals[] = {[LLVMRealPredicateFalse] = "false",
                                      [LLVMRealOEQ] = "oeq",
                                      [LLVMRealOGT] = "ogt",
                                      [LLVMRealOGE] = "oge",
                                      [LLVMRealOLT] = "olt",
                                      [LLVMRealOLE] = "ole",
                                      [LLVMRealONE] = "one",
                                      [LLVMRealORD] = "ord",
                                      [LLVMRealUNO] = "uno",
                                      [LLVMRealUEQ] = "ueq",
                                      [LLVMRealUGT] = "ugt",
                                      [LLVMRealUGE] = "uge",
                                      [LLVMRealULT] = "ult",
                                      [LLVMRealULE] = "ule",
                                      [LLVMRealUNE] = "une",
                                      [LLVMRealPredicateTrue] = "true"};
  switch (LLVMGetInstructionOpcode(self->value)) {
  case LLVMICmp: return TEXT_OF(integers, LLVMGetICmpPredicate(self->value));
  case LLVMFCmp: return TEXT_OF(reals, LLVMGetFCmpPredicate(self->value));
  default: return none_detail();
  }
}

const char *const ir_ordering_words[IR_ORDERINGS] = {
    [LLVMAtomicOrderingUnordered] = "unordered",    [LLVMAtomicOrderingMonotonic] = "monotonic",
    [LLVMAtomicOrderingAcquire] = "acquire",        [LLVMAtomicOrderingRelease] = "release",
    [LLVMAtomicOrderingAcquireRelease] = "acq_rel", [LLVMAtomicOrderingSequentiallyConsistent] = "seq_cst"};

static PyObject *ordering_text(LLVMAtomicOrdering ordering)
{
  return TEXT_OF(ir_ordering_words, ordering);
}

PyObject *ir_get_ordering(struct value_object *self)
{
  switch (LLVMGetInstructionOpcode(self->value)) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMFence:
  case LLVMAtomicRMW: return ordering_text(LLVMGetOrdering(self->value));
  case LLVMAtomicCmpXchg: return ordering_text(LLVMGetCmpXchgSuccessOrdering(self->value));
  default: return none_detail();
  }
}

PyObject *ir_get_failure_ordering(struct value_object *self)
{
  return LLVMIsAAtomicCmpXchgInst(self->value) ? ordering_text(LLVMGetCmpXchgFailureOrdering(self->value))
                                               : none_detail();
}

const char *const ir_operation_words[IR_OPERATIONS] = {[LLVMAtomicRMWBinOpXchg] = "xchg",
                                                       [LLVMAtomicRMWBinOpAdd] = "add",
                                                       [LLVMAtomicRMWBinOpSub] = "sub",
                                                       [LLVMAtomicRMWBinOpAnd] = "and",
                                                       [LLVMAtomicRMWBinOpNand] = "nand",
                                                       [LLVMAtomicRMWBinOpOr] = "or",
                                                       [LLVMAtomicRMWBinOpXor] = "xor",
                                                       [LLVMAtomicRMWBinOpMax] = "max",
                                                       [LLVMAtomicRMWBinOpMin] = "min",
                                                       [LLVMAtomicRMWBinOpUMax] = "umax",
                                                       [LLVMAtomicRMWBinOpUMin] = "umin",
                                                       [LLVMAtomicRMWBinOpFAdd] = "fadd",
                                                       [LLVMAtomicRMWBinOpFSub] = "fsub",
                                                       [LLVMAtomicRMWBinOpFMax] = "fmax",
                                                       [LLVMAtomicRMWBinOpFMin] = "fmin",
                                                       [LLVMAtomicRMWBinOpUIncWrap] = "uinc_wrap",
                                                       [LLVMAtomicRMWBinOpUDecWrap] = "udec_wrap",
                                                       [LLVMAtomicRMWBinOpUSubCond] = "usub_cond",
                                                       [LLVMAtomicRMWBinOpUSubSat] = "usub_sat",
                                                       [LLVMAtomicRMWBinOpFMaximum] = "fmaximum",
                                                       [LLVMAtomicRMWBinOpFMinimum] = "fminimum"};

PyObject *ir_get_operation(struct value_object *self)
{
  return LLVMIsAAtomicRMWInst(self->value) ? TEXT_OF(ir_operation_words, LLVMGetAtomicRMWBinOp(self->value))
                                           : none_detail();
}

PyObject *ir_get_align(struct value_object *self)
{
  unsigned align = 0;
  if (self->kind == IR_INSTRUCTION)
    switch (LLVMGetInstructionOpcode(self->value)) {
    case LLVMAlloca:
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: break;
    default: return none_detail();
    }
  align = LLVMGetAlignment(self->value);
  return align ? PyLong_FromUnsignedLong(align) : none_detail();
}

PyObject *ir_get_element_type(struct value_object *self)
{
  switch (LLVMGetInstructionOpcode(self->value)) {
  case LLVMAlloca: return core_type_new(self->module, LLVMGetAllocatedType(self->value));
  case LLVMGetElementPtr: return core_type_new(self->module, LLVMGetGEPSourceElementType(self->value));
  default: return none_detail();
  }
}

static PyObject *mask_item(const void *instruction, size_t index)
{
  int element = LLVMGetMaskValue(((const struct value_object *)instruction)->value, (unsigned)index);
  return element == LLVMGetUndefMaskElem() ? none_detail() : PyLong_FromLong(element);
}

PyObject *ir_get_indices(struct value_object *self)
{
  switch (LLVMGetInstructionOpcode(self->value)) {
  case LLVMExtractValue:
  case LLVMInsertValue:
    return core_tuple(LLVMGetNumIndices(self->value), core_number_item, LLVMGetIndices(self->value));
  case LLVMShuffleVector: return core_tuple(LLVMGetNumMaskElements(self->value), mask_item, self);
  default: return none_detail();
  }
}
